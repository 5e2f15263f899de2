import CardStore
import Ledger
public import ServicePorts
public import TapcardDomain

extension Station {
    /// How often another station may come between before the tap has to settle it.
    private static let mostRecordings = 3

    /// Activates the code of the card on the reader through the service.
    ///
    /// Leaving does not stop the request once it is made: its answer is recorded in the ledger
    /// first, and written to the card now or, if it has gone, at its next tap.
    public func activate(
        id: OperationID, through service: any ActivationService
    ) async throws(TapcardError) -> Receipt {
        if let known = try await known(id, .activate, only: nil) {
            return try await change(.activate, id: id, only: nil, known: known)
        }
        let card = try await tap(for: id) { sight, _ throws(Interruption) in
            try await activatable(sight)
        }
        try await request(card.code, of: card.uid, service)
        let recorded = try await record(id, for: card.uid)
        return try await change(.activate, id: id, only: card.uid, known: recorded)
    }

    private func activatable(
        _ sight: Sight
    ) async throws(Interruption) -> (uid: CardUID, code: ScratchCode)? {
        guard let view = sight.view else { throw .refused(try await strangerRefusal(sight)) }
        do {
            try view.admits(.activate)
        } catch {
            throw .refused(TapcardError(error, uid: sight.uid))
        }
        return view.card.scratch.code.map { (sight.uid, $0) }
    }

    /// Asks the service in a task of its own, which does not end when ours is cancelled.
    private func request(
        _ code: ScratchCode, of uid: CardUID, _ service: any ActivationService
    ) async throws(TapcardError) {
        let answer = await Task { () async -> Result<ActivationAnswer, ServiceError> in
            do throws(ServiceError) {
                return .success(try await service.activate(code))
            } catch {
                return .failure(error)
            }
        }.value
        let unchanged = "The card is still scratched and its code is as good as before."
        switch answer {
        case .success(.active): return
        case .success(.refused(let version)):
            throw TapcardError(
                .activationRefused, "The service does not activate the code: version \(version).",
                meaning: unchanged, uid: uid)
        case .failure(let error):
            throw TapcardError(error, meaning: unchanged, uid: uid)
        }
    }

    /// Makes the answer durable before the card is looked for again. Where another operation was
    /// opened meanwhile, the tap that follows settles it and records then.
    private func record(
        _ id: OperationID, for uid: CardUID
    ) async throws(TapcardError) -> Operation? {
        var perhaps: Operation?
        for _ in 0..<Station.mostRecordings {
            let beginning: Beginning
            do {
                beginning = try await begin(id, for: uid)
            } catch {
                if error.kind == .outcomeUnknown {
                    // It is looked up under the same id.
                    perhaps = Operation(id: id, uid: uid, kind: .activate, begunAt: now)
                    continue
                }
                if let perhaps {
                    throw TapcardError.perhapsBegun(perhaps, because: TapcardError(error))
                }
                throw TapcardError(error)
            }
            switch beginning {
            case .changed: continue
            case .refused(let refusal): throw TapcardError(refusal, uid: uid)
            case .mismatched(let operation): throw mismatch(operation)
            case .begun(let work): return work.operation
            case .known(let operation): return operation
            }
        }
        return perhaps
    }

    private func begin(
        _ id: OperationID, for uid: CardUID
    ) async throws(LedgerError) -> Beginning {
        guard let view = try await ledger.view(of: uid) else { return .changed }
        return try await ledger.begin(
            Request(id: id, uid: uid, intent: .activate, at: now), seen: Seen(view),
            sealer: sealer)
    }
}
