import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs

enum ActivationCommand {
    /// Activates the code of the card on the reader. If the user interrupts the command during the
    /// request, a message says that the request continues.
    static func activate(in session: Session) async throws(TapcardError) -> Report {
        let service = AnnouncedActivation(try session.services().activation, in: session)
        let station = try await session.station()
        let id = session[.operation] ?? station.newID()
        defer { session.finalMessage.set(nil) }
        // The outcome is a Result, because `withTaskCancellationHandler` does not preserve the
        // error's type.
        let outcome = await withTaskCancellationHandler {
            do throws(TapcardError) {
                return Result<Receipt, TapcardError>.success(
                    try await station.activate(id: id, through: service))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            service.announceInterruption()
        }
        let receipt = try outcome.get()
        let summary = try await station.summary(after: receipt)
        return Report(
            summary, "Activated", currency: station.currency, isReplayed: receipt.isReplayed)
    }
}

/// An activation service that can tell the user, after an interruption, that its request continues.
private struct AnnouncedActivation: ActivationService {
    private let service: any ActivationService
    private let session: Session
    private let isRequesting = Guarded(false)

    init(_ service: any ActivationService, in session: Session) {
        (self.service, self.session) = (service, session)
    }

    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        isRequesting.withLock { $0 = true }
        defer { isRequesting.withLock { $0 = false } }
        // From this point on, the service may activate the code even if this process dies.
        session.finalMessage.set { reportUnknownOutcome() }
        return try await service.activate(code)
    }

    func announceInterruption() {
        guard isRequesting.withLock({ $0 }) else { return }
        session.waiting.show("Request already sent; stopping once the response is recorded")
        if session.outputOptions.isVerbose {
            session.say("tapcard: request already sent; stopping once the response is recorded\n")
        }
    }

    /// Reports an unknown outcome if the process ends during the request.
    private func reportUnknownOutcome() {
        let error = TapcardError(
            .outcomeUnknown, "Stopped while waiting for the service to respond.",
            meaning:
                "The service may or may not have activated the code; the activation stays open.",
            next: [.service(.activateAgain)])
        guard !session.outputOptions.isJSON else {
            session.output.write(document: Report.document(of: error))
            return
        }
        // The spinner's line does not end with a newline.
        if session.console.isErrorTerminal, !session.outputOptions.isQuiet,
            !session.outputOptions.isVerbose
        {
            session.say("\n")
        }
        session.show(error)
    }
}
