import Glibc
import Testing

/// These pipes have no writer: a program that opens one to read waits for ever.
@Suite("A pipe in the place of one of tapcard's files does not block a command", .ownThread)
struct PipeTests {
    private func put(_ path: String, _ counter: Counter) throws {
        unsafe unlink(path)
        try #require(unsafe mkfifo(path, 0o600) == 0)
    }

    @Test("settings")
    func settings() throws {
        let counter = try Counter()
        let path = counter.file(".config/tapcard/simulated/config.json")
        try counter.write("{}", to: path)
        try put(path, counter)
        try counter.expect(
            "read", status: 2,
            complains: "The settings in ~/.config/tapcard/simulated/config.json cannot be used: "
                + "~/.config/tapcard/simulated/config.json: a pipe and no file. Nothing was done. "
                + "Fix the file or remove it.")
    }

    @Test("keys")
    func keys() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        try put(counter.keys, counter)
        try counter.expect(
            "read", status: 1,
            complains: "The key file cannot be read: ~/.local/share/tapcard/simulated/keys.json: "
                + "a pipe and no file. Without its keys tapcard neither reads nor writes cards. Let its owner "
                + "run tapcard, or put the backup of your keys in its place.")
    }

    @Test("the simulation")
    func simulation() throws {
        let counter = try Counter()
        try counter.step("sim put NTAG213")
        try put(counter.simulation.path, counter)
        let ended = try counter.run(["read"])
        #expect(ended.status != 0 && ended.errors.contains("a pipe and no file"))
    }

    @Test("the ledger")
    func ledger() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        try put(counter.ledger, counter)
        let ended = try counter.run(["history"])
        #expect(ended.status == 9 && ended.errors.contains("is no file"), "\(ended.errors)")
    }

    @Test("a backup of the ledger")
    func backup() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let pipe = counter.file("pipe")
        try put(pipe, counter)
        let ended = try counter.run(["restore-backup", pipe])
        #expect(ended.status == 9 && ended.errors.contains("is no file"), "\(ended.errors)")
        #expect(try counter.step("read").contains("$20.00"))
    }

    @Test("Mastermind's games")
    func games() throws {
        let counter = try Counter()
        let services = try PlayedServices(counter)
        try services.step("mastermind login amanda")
        try put("\(counter.data)/mastermind.json", counter)
        let ended = try services.run("mastermind ranking")
        #expect(ended.status == 1)
        #expect(
            counter.masked(ended.errors)
                == "tapcard: The file of your games cannot be read: "
                + "~/.local/share/tapcard/simulated/mastermind.json: a pipe and no file. The ranking is not "
                + "known. Let its owner run tapcard, or remove it: then log in again.\n")
        try services.stop()
    }

    @Test("what was kept of the lottery is fetched again")
    func cache() throws {
        let counter = try Counter()
        let services = try PlayedServices(counter)
        let draws = try services.step("draws")
        try put("\(counter.data)/cache/draws", counter)
        let ended = try services.run("draws")
        #expect(ended.status == 0 && ended.output == draws + "\n" && ended.errors == "")
        try services.stop()
    }

    @Test("a dump that a person names may come through a pipe")
    func dump() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let (path, pipe) = (counter.file("card.dump"), counter.file("pipe"))
        try counter.step("tag dump \(path)")
        try put(pipe, counter)
        let writer = try ChildProcess(
            "/bin/sh", ["-c", "cat \"$0\" > \"$1\"", path, pipe], environment: [:],
            folder: counter.home)
        let ended = try counter.run(["tag", "restore", pipe, "--overwrite"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try writer.end().status == 0)
    }
}
