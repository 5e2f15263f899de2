import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs

extension Session {
    /// Activates the code of the card on the reader. A user who leaves during the request learns
    /// that it continues.
    func activate() async throws(TapcardError) -> Report {
        let service = AnnouncedActivation(try services().activation, in: self)
        let station = try await station()
        let id = try self[.operation] ?? station.newID()
        defer { lastWords.set(nil) }
        let outcome = await withTaskCancellationHandler {
            do throws(TapcardError) {
                return Result<Receipt, TapcardError>.success(
                    try await station.activate(id: id, through: service))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            service.noteLeaving()
        }
        let receipt = try outcome.get()
        let summary = try await station.summary(afterwards: receipt)
        return Report(
            summary, "Activated", currency: station.currency, isReplayed: receipt.isReplayed)
    }
}

/// An activation service that announces a continuing request to a user who leaves.
private struct AnnouncedActivation: ActivationService {
    private let service: any ActivationService
    private let session: Session
    private let isAsking = Guarded(false)

    init(_ service: any ActivationService, in session: Session) {
        (self.service, self.session) = (service, session)
    }

    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        isAsking.withLock { $0 = true }
        defer { isAsking.withLock { $0 = false } }
        session.lastWords.set { [session] in session.showCutShort() }
        return try await service.activate(code)
    }

    func noteLeaving() {
        guard isAsking.withLock({ $0 }) else { return }
        session.waiting.show("Activating; stops when the answer is recorded")
        if session.manner.isVerbose {
            session.say("tapcard: the request goes on; its answer is recorded\n")
        }
    }
}

extension Session {
    /// Reports an unknown outcome when the process ends during the request.
    fileprivate func showCutShort() {
        let error = TapcardError(
            .outcomeUnknown, "Stopped while the service was being asked.",
            meaning: "Whether the code counts as activated is not known; the activation is still "
                + "open.", next: [.service(.activateAgain)])
        guard !manner.isJSON else {
            output.write(document: Report.document(of: error))
            return
        }
        // Ends the spinner's line.
        if console.isErrorTerminal, !manner.isQuiet, !manner.isVerbose { say("\n") }
        show(error)
    }
}
