import BlockingLane
import Bridge
import Glibc
import OperatingSystem
import TapcardDomain
import TestSupport
import Testing
import TextCodecs
import Verbs

@Suite("Commands for events")
struct ExecOutputTests {
    private let events = SampleEvents()
    private let said = Guarded<[String]>([])
    private let folder: String

    init() throws {
        folder = events.folder()
        try DurableFile.makeFolder(folder)
    }

    private func output(
        _ script: String, _ arguments: [String] = [], limit: Duration = .seconds(60),
        requiring trust: TapEvent.Trust? = nil
    ) -> ExecOutput {
        ExecOutput(
            ChildCommand(["/bin/sh", "-c", script, "sh", folder] + arguments, limit: limit),
            requiring: trust, events.stamp,
            say: { [said] text in said.withLock { $0.append(text) } })
    }

    private func file(_ name: String) throws -> String? {
        try DurableFile("\(folder)/\(name)").read().map { String(decoding: $0, as: UTF8.self) }
    }

    private func wait(for name: String) async throws -> String {
        while true {
            if let text = try file(name) { return text }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test("The command gets its words as they are, the event, and no other variables")
    func given() async throws {
        let words = ["two words", "$HOME `id`", "\"'\\", "a\nb", "*"]
        let output = output(
            """
            cat > "$1/input"; env | sort > "$1/variables"; ls /proc/self/fd > "$1/open"
            folder=$1; shift; for word; do printf '<%s>' "$word"; done > "$folder/new"
            mv "$folder/new" "$folder/words"
            """, words)
        let event = events.arrival(0xA1B2_C3D4)
        #expect(await output.take(event))
        #expect(try await wait(for: "words") == words.map { "<\($0)>" }.joined())
        await output.end()
        #expect(try file("input") == event.document.text + "\n")
        let variables = try #require(try file("variables")).split(separator: "\n")
            .filter { !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") && !$0.hasPrefix("SHLVL=") }
        #expect(
            variables == [
                "PATH=\(ChildCommand.path)", "TAPCARD_EVENT=arrived", "TAPCARD_ID=\(event.id)",
                "TAPCARD_READER=sim", "TAPCARD_TRUST=uid", "TAPCARD_UID=A1B2C3D4",
            ])
        // The standard streams, and the folder that ls itself reads.
        #expect(try file("open") == "0\n1\n2\n3\n")
        #expect(said.withLock { $0 } == [])
    }

    @Test("A command that reads nothing, or fails, or does not exist, is told and ends nothing")
    func failing() async throws {
        let failing = output("exit 3")
        _ = await failing.take(events.arrival())
        try await waitUntilSaid("status 3")
        let killed = output("kill -KILL $$")
        _ = await killed.take(events.arrival())
        try await waitUntilSaid("signal 9")
        let missing = ExecOutput(
            ChildCommand(["/nowhere/at/all"], limit: .seconds(60)), events.stamp,
            say: { [said] text in said.withLock { $0.append(text) } })
        _ = await missing.take(events.arrival())
        try await waitUntilSaid("No such file or directory")
    }

    private func waitUntilSaid(_ text: String) async throws {
        while !said.withLock({ $0.contains { $0.contains(text) } }) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test("A command that takes too long is ended, with all that it has started")
    func tooLong() async throws {
        let output = output(
            "trap '' TERM; (trap '' TERM; echo $$ > \"$1/n\"; mv \"$1/n\" \"$1/child\"; "
                + "while :; do sleep 1; done) & wait; while :; do sleep 1; done",
            limit: .milliseconds(500))
        _ = await output.take(events.arrival())
        try await waitUntilSaid("took too long")
        await output.end()
        let group = try #require(try file("child").flatMap { Int32($0.filter(\.isNumber)) })
        // The group is empty once all its processes have been ended, and reaped by the system.
        while kill(-group, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(errno == ESRCH)
    }

    @Test("One command runs at a time, and what is too much is told as a gap")
    func crowded() async throws {
        let output = output(
            "while ! [ -e \"$1/go\" ]; do sleep 0.01; done; cat >> \"$1/all\"")
        let count = ExecOutput.maximumWaiting + 6
        for number in 1...count { _ = await output.take(events.arrival(number)) }
        try DurableFile("\(folder)/go").write([])
        while try (file("all") ?? "").split(separator: "\n").count < count - 4 {
            try await Task.sleep(for: .milliseconds(1))
        }
        await output.end()
        let documents = try #require(try file("all")).split(separator: "\n").map {
            try JSONValue.parsing(Array($0.utf8))
        }
        // The first one was running already; how many of the next were dropped depends on when.
        let missed = documents.compactMap(\.missedCount).reduce(0, +)
        let numbers = documents.compactMap(\.numberOfArrival)
        #expect(missed > 0 && numbers.count + missed == count)
        #expect(numbers == numbers.sorted() && numbers.last == count)
    }

    @Test("With a required trust, nothing but such a tag runs the command")
    func trusted() async throws {
        let output = output("echo ran > \"$1/ran\"", requiring: .sealed)
        #expect(await output.take(events.arrival()))
        #expect(await output.take(.gap(3, events.stamp())))
        await output.end()
        #expect(try file("ran") == nil)
        #expect(TapEvent.Trust.uid < .sealed && TapEvent.Trust.sealed < .proved)
    }
}
