import BlockingLane
import Glibc
public import Tags

/// A reader in its own process.
///
/// libnfc calls abort() when a reader sends something unexpected, and its calls can hang. With a
/// separate process, a program that has to keep running, such as a till that watches for cards all
/// day, loses only the process that drives the reader. The next selection starts that process
/// again. A program that handles a single tap does not need such a process: however the tap ends,
/// the next one resolves it.
public actor ReaderProcess: BatchReader {
    /// The default grace period. It is long enough for libnfc, which takes two seconds to close a
    /// reader that does not respond, and about as long to open one.
    package static let grace = Duration.seconds(15)

    private let launch: @Sendable () throws(ReaderError) -> any ReaderLink
    private let grace: Duration
    private let lane = BlockingLane(label: "tapcard.reader-process")
    private var link: (any ReaderLink)?
    private var summary: ReaderSummary

    /// `grace` is how long a reply may take beyond the request's time limit.
    package init(
        grace: Duration = grace, named name: String? = nil,
        _ launch: @escaping @Sendable () throws(ReaderError) -> any ReaderLink
    ) {
        self.grace = grace
        self.launch = launch
        summary = ReaderSummary(name: name ?? "no reader", maximumAnswerLength: 0)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// Creates a reader. Its process is started when it is first needed: a program, with arguments
    /// that make it call `ReaderService.run`. `name` is the reader's name until a tag is selected.
    public init(_ command: [String], named name: String? = nil) {
        self.init(named: name) { () throws(ReaderError) in try Child(command) }
    }

    public var name: String { summary.name }
    public var maximumAnswerLength: Int { summary.maximumAnswerLength }
    /// The process that currently drives the reader.
    public var process: Int32? { link?.process }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let milliseconds = limit / .milliseconds(1)
        let request = ReaderRequest.select(
            milliseconds: UInt64(min(max(0, milliseconds.rounded(.up)), Double(Int32.max))))
        guard case .tag(let identity, let summary) = try await perform(request, within: limit)
        else {
            throw stop("the helper process sent an unexpected or invalid reply")
        }
        self.summary = summary
        return identity
    }

    public func exchange(_ batch: [BatchItem]) async -> BatchReport {
        // A newly started process would not have selected a tag.
        guard link != nil else {
            return BatchReport(failure: ReaderError(.tagLost, "no tag is selected"))
        }
        do throws(ReaderError) {
            guard case .report(let report) = try await perform(.batch(batch)),
                report.isPlausible(for: batch)
            else { throw stop("the helper process sent an unexpected or invalid reply") }
            return report
        } catch {
            return BatchReport(failure: error)
        }
    }

    public func release() async { await release(signaling: nil) }

    public func release(signaling signal: TagSignal?) async {
        guard link != nil else { return }
        // If the release fails, the reader is gone, and so is its field.
        do { _ = try await perform(.release(signal)) } catch { return }
    }

    private func perform(
        _ request: ReaderRequest, within limit: Duration = .zero
    ) async throws(ReaderError) -> ReaderReply {
        let channel: MessageChannel
        if let link {
            channel = link.channel
        } else {
            let started = try launch()
            link = started
            channel = started.channel
        }
        guard channel.send(request.message) else { throw stop(nil) }
        let received: MessageChannel.Received
        if case .select = request {
            // The request is sent first: in a task that is already canceled, the handler runs
            // immediately, and a cancel has an effect only after the request.
            received = await withTaskCancellationHandler {
                channel.receive(within: limit + grace)
            } onCancel: {
                channel.send(ReaderRequest.cancel.message)
            }
        } else {
            // An exchange is never interrupted, because its outcome would be unknown.
            received = channel.receive(within: grace)
        }
        switch received {
        case .message(let message):
            guard let reply = ReaderReply(message) else {
                throw stop("the helper process sent an unexpected or invalid reply")
            }
            if case .failed(let error) = reply { throw error }
            return reply
        case .closed: throw stop(nil)
        case .timedOut: throw stop("the helper process did not respond and was terminated")
        }
    }

    /// Ends the process and returns an error with the reason.
    private func stop(_ reason: String?) -> ReaderError {
        let ended = link?.end()
        link = nil
        return ReaderError(
            .readerLost, reason ?? "the helper process exited\(ended.map { " with \($0)" } ?? "")")
    }
}
