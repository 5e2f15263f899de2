import BlockingLane
import Glibc
import PortDoubles
import ReaderProcess
import Tags
import Testing

private let tag = TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6])

/// A service that a child process would run, in this process.
private final class NearLink: ReaderLink {
    let channel: MessageChannel
    let process: Int32? = nil
    private let service: Task<Void, Never>

    init(_ reader: PersistentReader) throws(ReaderError) {
        guard let (channel, other) = MessageChannel.pair() else { throw ReaderError(.noReader) }
        self.channel = channel
        let end = MessageChannel(other)
        service = Task { await ReaderService.run(reader, on: end) }
    }

    func end() -> String? {
        channel.close()
        return "a closed socket"
    }
}

/// A link whose other end the test holds.
private final class HeldLink: ReaderLink {
    let channel: MessageChannel
    let process: Int32? = nil

    init(_ channel: MessageChannel) { self.channel = channel }
    func end() -> String? { nil }
}

@Suite("A reader in a process of its own", .timeLimit(.minutes(1)))
struct ReaderProcessTests {
    private func near(_ reader: any TagReader) -> ReaderProcess {
        ReaderProcess { () throws(ReaderError) in
            try NearLink(
                PersistentReader(
                    find: { () throws(ReaderError) in reader }, waitForChange: { _ in }))
        }
    }

    @Test("A tag, its answers and the reader's limits come through")
    func tap() async throws {
        let process = near(ScriptedReader([.tag(tag), .answer([2, 4, 6])]))
        let identity = try await process.select(within: .seconds(1))
        #expect(identity.uid == [4, 1, 2, 3, 4, 5, 6])
        #expect(await process.name == "scripted reader")
        #expect(await process.maximumAnswerLength == 250)
        #expect(try await process.exchange([1, 2, 3]) == [2, 4, 6])
        await process.release()
    }

    @Test("A release reaches the reader")
    func release() async throws {
        let reader = ScriptedReader([.tag(tag)])
        let process = near(reader)
        _ = try await process.select(within: .zero)
        await process.release()
        #expect(reader.releases == 1)
    }

    @Test("A signal reaches the reader, and the caller does not wait for its end")
    func signal() async throws {
        let isOver = Guarded(false)
        let reader = InterposedReader(
            ScriptedReader([.tag(tag), .tag(tag)]),
            release: { _ in while !isOver.withLock({ $0 }) { await Task.yield() } })
        let process = near(reader)
        _ = try await process.select(within: .zero)
        await process.release(signaling: .refused)
        isOver.withLock { $0 = true }
        _ = try await process.select(within: .zero)
        #expect(reader.signals == [.refused])
    }

    @Test("An error comes through with its kind")
    func errors() async throws {
        let kinds: [ReaderError.Kind] = [.refused(5), .tagLost, .garbled, .timedOut]
        let process = near(ScriptedReader([.tag(tag)] + kinds.map { .failure($0) }))
        _ = try await process.select(within: .zero)
        for kind in kinds {
            await #expect(throws: ReaderError(kind)) { try await process.exchange([0x30, 4]) }
        }
    }

    @Test("A wait for a tag can be canceled, and the next selection works")
    func cancelling() async throws {
        let process = near(ScriptedReader([.untilCancelled, .tag(tag)]))
        let waiting = Task { () async throws(ReaderError) in
            try await process.select(within: .seconds(3_600))
        }
        waiting.cancel()
        await #expect(throws: ReaderError(.cancelled)) { try await waiting.value }
        #expect(try await process.select(within: .zero).uid.count == 7)
    }

    @Test("A frame without a selected tag is refused before anything is started")
    func notSelected() async {
        let process = ReaderProcess { () throws(ReaderError) in throw ReaderError(.noReader) }
        await #expect(throws: ReaderError(.tagLost)) { try await process.exchange([0x30, 4]) }
    }

    @Test("A senseless reply is a lost reader, and the next selection starts another process")
    func senseless() async throws {
        let starts = Guarded(0)
        let others = Guarded<[MessageChannel]>([])
        let process = ReaderProcess { () throws(ReaderError) in
            starts.withLock { $0 += 1 }
            guard let (channel, other) = MessageChannel.pair() else {
                throw ReaderError(.noReader)
            }
            let end = MessageChannel(other)
            end.send([99])
            others.withLock { $0.append(end) }
            return HeldLink(channel)
        }
        for count in 1...3 {
            await #expect(throws: ReaderError(.readerLost)) {
                try await process.select(within: .zero)
            }
            #expect(starts.withLock { $0 } == count)
        }
    }

    @Test("A process that does not answer is a lost reader")
    func silent() async throws {
        let others = Guarded<[MessageChannel]>([])
        let process = ReaderProcess(grace: .zero) { () throws(ReaderError) in
            guard let (channel, other) = MessageChannel.pair() else {
                throw ReaderError(.noReader)
            }
            others.withLock { $0.append(MessageChannel(other)) }
            return HeldLink(channel)
        }
        await #expect(throws: ReaderError(.readerLost)) { try await process.select(within: .zero) }
    }

    /// The test runs on one shared thread and keeps the others computing until the answer arrives.
    @Test("A request is answered while no shared thread is free")
    func busy() async throws {
        let (channel, other) = try #require(MessageChannel.pair())
        let played = ScriptedReader([.tag(tag), .answer([2, 4, 6])])
        let service = Task {
            await ReaderService.run(
                PersistentReader(
                    find: { () throws(ReaderError) in played }, waitForChange: { _ in }),
                on: MessageChannel(other))
        }
        @Sendable func ask(_ request: ReaderRequest) -> ReaderReply? {
            channel.send(request.message)
            guard case .message(let reply) = channel.receive(within: .seconds(600)) else {
                return nil
            }
            return ReaderReply(reply)
        }
        // The service begins on a shared thread: this test holds none until then, and other tests
        // may compute on all of them for long.
        let selected = await Doorway(BlockingLane(label: "test.asking")).run {
            ask(.select(milliseconds: 0))
        }
        #expect(selected != nil)
        let (running, isAnswered) = (Guarded(0), Guarded(false))
        let threads = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let others = (1..<max(2, threads)).map { _ in
            Task {
                running.withLock { $0 += 1 }
                while !isAnswered.withLock({ $0 }) {}
            }
        }
        while running.withLock({ $0 }) < threads - 1 { sched_yield() }
        let answer = ask(.batch([BatchItem(.frame([1, 2, 3]))]))
        isAnswered.withLock { $0 = true }
        #expect(answer == .report(BatchReport(answers: [[2, 4, 6]])))
        channel.close()
        for other in others { await other.value }
        await service.value
    }

    @Test("The error for a process killed by a signal names the signal")
    func aborted() async throws {
        do {
            _ = try await ReaderProcess(["/bin/sh", "-c", "kill -ABRT $$"]).select(within: .zero)
            Issue.record("it selected a tag")
        } catch {
            #expect(error.kind == .readerLost)
            #expect(error.detail == "the helper process exited with signal 6")
        }
    }

    @Test("A program that does not exist means that there is no reader")
    func noProgram() async {
        await #expect(throws: ReaderError(.noReader)) {
            try await ReaderProcess(["/does/not/exist"]).select(within: .zero)
        }
        #expect(await ReaderProcess([], named: "pcsc:ACR122U").name == "pcsc:ACR122U")
    }
}

@Suite("A reader that may be unplugged and replaced")
struct PersistentReaderTests {
    /// A plug into which a test puts readers, and the waits that were requested.
    private struct Plug: Sendable {
        let reader = Guarded<ScriptedReader?>(nil)
        let waits = Guarded<[Duration]>([])

        var lasting: PersistentReader {
            PersistentReader(
                find: { () throws(ReaderError) in
                    guard let found = reader.withLock({ $0 }) else {
                        throw ReaderError(.noReader)
                    }
                    return found
                }, waitForChange: { limit in waits.withLock { $0.append(limit) } })
        }

        func put(_ new: ScriptedReader?) { reader.withLock { $0 = new } }
    }

    @Test("A missing reader is reported at once, and waited for from then on")
    func missing() async throws {
        let plug = Plug()
        let reader = plug.lasting
        await #expect(throws: ReaderError(.noReader)) {
            try await reader.select(within: .seconds(1))
        }
        #expect(plug.waits.withLock { $0 } == [])
        await #expect(throws: ReaderError(.noReader)) {
            try await reader.select(within: .seconds(2))
        }
        #expect(plug.waits.withLock { $0 } == [.seconds(2)])
    }

    @Test("A reader that was unplugged is replaced by the next one found")
    func back() async throws {
        let plug = Plug()
        plug.put(ScriptedReader([.tag(tag), .failure(.readerLost)], name: "first"))
        let reader = plug.lasting
        _ = try await reader.select(within: .zero)
        #expect(await reader.name == "first")
        await #expect(throws: ReaderError(.readerLost)) { try await reader.exchange([1]) }
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([1]) }
        plug.put(ScriptedReader([.tag(tag)], name: "second", maximumAnswerLength: 64))
        _ = try await reader.select(within: .zero)
        #expect(await reader.name == "second")
        #expect(await reader.maximumAnswerLength == 64)
    }

    @Test(
        "An error other than a lost reader is no reason to look for another reader",
        arguments: [
            ReaderError.Kind.noTag, .tagLost, .timedOut, .refused(0), .garbled, .severalTags,
            .cancelled,
        ])
    func kept(_ kind: ReaderError.Kind) async throws {
        let plug = Plug()
        let played = ScriptedReader([.failure(kind)], name: "kept")
        plug.put(played)
        let reader = plug.lasting
        await #expect(throws: ReaderError(kind)) { try await reader.select(within: .zero) }
        #expect(await reader.name == "kept")
        #expect(played.releases == 0)
    }
}
