import BlockingLane
import Glibc
package import Tags

/// The other end of a `ReaderProcess`: drives a reader for the program that started this one.
public enum ReaderService {
    /// Serves requests until the program at the other end is gone, then releases the reader.
    ///
    /// A process started by `ReaderProcess` has the socket as its standard input.
    public static func run(_ reader: PersistentReader) async {
        await run(reader, on: MessageChannel(STDIN_FILENO))
    }

    package static func run(_ reader: PersistentReader, on channel: MessageChannel) async {
        await Driver(reader, channel).run()
    }

    /// Handles requests on the reader's thread. The program at the other end kills a process that
    /// takes too long to respond, so replies must not have to wait for other work.
    private actor Driver {
        private let reader: PersistentReader
        private let channel: MessageChannel

        init(_ reader: PersistentReader, _ channel: MessageChannel) {
            (self.reader, self.channel) = (reader, channel)
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe reader.unownedExecutor
        }

        func run() async {
            let receiver = Receiver(channel)
            var work: Task<Void, Never>?
            while case .message(let message) = await receiver.next() {
                guard let request = ReaderRequest(message) else { break }
                if request == .cancel {
                    work?.cancel()
                } else {
                    // Each request runs in a task, so that a cancel can be received while the
                    // reader is waiting for a tag.
                    work = Task { await self.handle(request) }
                }
            }
            work?.cancel()
            // The reader performs one request at a time, so it is released only after its last
            // request has ended.
            await work?.value
            await reader.release()
            channel.close()
        }

        private func handle(_ request: ReaderRequest) async {
            if case .release(let signal?) = request {
                // Reply first, because the signal takes time and the caller need not wait for it.
                _ = channel.send(ReaderReply.released.message)
                return await reader.release(signaling: signal)
            }
            _ = channel.send(await ReaderService.reply(to: request, reader).message)
        }
    }

    /// Carries out a request, and returns the reply to it.
    package static func reply(
        to request: ReaderRequest, _ reader: any TagReader
    ) async -> ReaderReply {
        do {
            switch request {
            case .select(let milliseconds):
                let limit = Duration.milliseconds(Int64(clamping: milliseconds))
                let identity = try await reader.select(within: limit)
                return .tag(identity, await ReaderSummary(of: reader))
            case .batch(let items): return .report(await reader.exchange(items))
            case .release(let signal):
                await reader.release(signaling: signal)
                return .released
            case .removal(let uid, let sawSeveral):
                let error = await reader.waitForRemoval(of: uid, sawSeveral: sawSeveral) {
                    try await Task.sleep(for: TagPresence.interval)
                }
                return error.map { .failed($0) } ?? .released
            case .cancel: return .released
            }
        } catch {
            return .failed(error)
        }
    }

    /// Receives requests on its own thread.
    private actor Receiver {
        private let lane = BlockingLane(label: "tapcard.reader-service")
        private let channel: MessageChannel

        init(_ channel: MessageChannel) { self.channel = channel }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe lane.asUnownedSerialExecutor()
        }

        func next() -> MessageChannel.Received { channel.receive(within: nil) }
    }
}
