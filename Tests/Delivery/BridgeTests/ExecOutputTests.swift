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
    private let clock = Guarded(ContinuousClock.now)
    private let folder: String

    init() throws {
        folder = events.folder()
        try DurableFile.makeFolder(folder)
    }

    private func output(
        _ script: String, _ arguments: [String] = [], limit: Duration = .seconds(60),
        requiring trust: TapEvent.Trust? = nil, maximumAge: Duration? = nil
    ) -> ExecOutput {
        ExecOutput(
            ChildCommand(["/bin/sh", "-c", script, "sh", folder] + arguments, limit: limit),
            requiring: trust, maximumAge: maximumAge, events.stamp,
            clock: { [clock] in clock.withLock { $0 } },
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

    @Test("The command gets its arguments unchanged and only the variables of the event")
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
                "TAPCARD_KIND=\(event.chip ?? "")", "TAPCARD_READER_NAME=sim",
                "TAPCARD_TIME=\(LocalTime.iso(event.at))", "TAPCARD_TRUST=uid",
                "TAPCARD_UID=A1B2C3D4",
            ])
        // Only the standard streams and the folder that ls reads are open.
        #expect(try file("open") == "0\n1\n2\n3\n")
        #expect(said.withLock { $0 } == [])
    }

    @Test("A command that ignores its input, fails, or is missing does not end the watch")
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

    @Test("A command that takes too long is killed with all its child processes")
    func tooLong() async throws {
        let output = output(
            "trap '' TERM; (trap '' TERM; echo $$ > \"$1/n\"; mv \"$1/n\" \"$1/child\"; "
                + "while :; do sleep 1; done) & wait; while :; do sleep 1; done",
            limit: .milliseconds(500))
        _ = await output.take(events.arrival())
        try await waitUntilSaid("took too long")
        await output.end()
        let group = try #require(try file("child").flatMap { Int32($0.filter(\.isNumber)) })
        // The group is gone once its processes have been killed and reaped.
        while kill(-group, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(errno == ESRCH)
    }

    @Test("Processes left by a command are killed, and stopping the watch kills the command")
    func leftBehind() async throws {
        let output = output(
            "(echo $$ > \"$1/n\"; mv \"$1/n\" \"$1/child\"; sleep 1000) & "
                + "while ! [ -e \"$1/child\" ]; do :; done; exit 0")
        _ = await output.take(events.arrival())
        let group = try #require(Int32(try await wait(for: "child").filter(\.isNumber)))
        await output.end()
        while kill(-group, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let endless = self.output(
            "echo > \"$1/began\"; while :; do sleep 1; done", limit: .seconds(3_600))
        for _ in 1...3 { _ = await endless.take(events.arrival()) }
        _ = try await wait(for: "began")
        await endless.end()
        #expect(said.withLock { $0.filter { $0.contains("took too long") }.count } == 1)
    }

    /// How much time passes, and how far the system's clock advances meanwhile.
    @Test(
        "An expired event runs no command, even if the clock was set",
        arguments: [(60, 60), (60, 0), (0, 60), (0, -60)])
    func old(_ seconds: Int, _ advance: Int64) async throws {
        let output = output(
            "cat >> \"$1/all\"; while ! [ -e \"$1/go\" ]; do sleep 0.01; done",
            maximumAge: .seconds(10))
        for number in 1...2 { _ = await output.take(events.arrival(number)) }
        _ = try await wait(for: "all")
        clock.withLock { $0 += .seconds(seconds) }
        events.seconds.withLock { $0 += advance }
        try DurableFile("\(folder)/go").write([])
        _ = await output.take(events.arrival(3))
        while try (file("all") ?? "").split(separator: "\n").count < 3 {
            try await Task.sleep(for: .milliseconds(1))
        }
        await output.end()
        let documents = try #require(try file("all")).split(separator: "\n").map {
            try JSONValue.parsing(Array($0.utf8))
        }
        #expect(documents.map { $0.numberOfArrival ?? -($0.missedCount ?? 0) } == [1, -1, 3])
    }

    @Test("One command runs at a time, and excess events are reported as a gap")
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
        // The first event was already running. How many others are dropped depends on timing.
        let missed = documents.compactMap(\.missedCount).reduce(0, +)
        let numbers = documents.compactMap(\.numberOfArrival)
        #expect(missed > 0 && numbers.count + missed == count)
        #expect(numbers == numbers.sorted() && numbers.last == count)
    }

    @Test("If trust is required, only a trusted tag runs the command")
    func trusted() async throws {
        let output = output("echo ran > \"$1/ran\"", requiring: .sealed)
        #expect(await output.take(events.arrival()))
        #expect(await output.take(.gap(3, events.stamp())))
        await output.end()
        #expect(try file("ran") == nil)
        #expect(TapEvent.Trust.uid < .sealed && TapEvent.Trust.sealed < .proved)
    }
}
