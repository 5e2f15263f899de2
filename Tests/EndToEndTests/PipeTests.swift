import Glibc
import TestSupport
import Testing

/// The pipes have no writer, so a program that opens one for reading would wait forever.
@Suite("Named pipes in place of tapcard's files", .ownThread)
struct PipeTests {
    private func put(_ path: String, _ till: Till) throws {
        unsafe unlink(path)
        try #require(unsafe mkfifo(path, 0o600) == 0)
    }

    @Test("A pipe in place of the settings file is refused")
    func settings() throws {
        let till = try Till()
        let path = till.file(".config/tapcard/simulated/config.json")
        try till.write("{}", to: path)
        try put(path, till)
        try till.expect(
            "read", status: 2,
            complains: "The settings in ~/.config/tapcard/simulated/config.json cannot be used: "
                + "~/.config/tapcard/simulated/config.json is a pipe, not a file. Nothing was done. "
                + "Fix the file or remove it.")
    }

    @Test("A pipe in place of the key file is refused")
    func keys() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try put(till.keys, till)
        try till.expect(
            "read", status: 1,
            complains:
                "The key file cannot be read: ~/.local/share/tapcard/simulated/keys.json is a "
                + "pipe, not a file. Cards cannot be read or written without the keys. Start "
                + "tapcard as the owner of the file, or restore the backup of the keys.")
    }

    @Test("A pipe in place of the simulation file is refused")
    func simulation() throws {
        let till = try Till()
        try till.step("sim put NTAG213")
        try put(till.simulation.path, till)
        let ended = try till.run(["read"])
        #expect(ended.status != 0 && ended.errors.contains("is a pipe, not a file"))
    }

    @Test("A pipe in place of the ledger is refused")
    func ledger() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try put(till.ledger, till)
        let ended = try till.run(["history"])
        #expect(
            ended.status == 9 && ended.errors.contains("is not a regular file"), "\(ended.errors)")
    }

    @Test("A pipe is refused as a backup of the ledger")
    func backup() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let pipe = till.file("pipe")
        try put(pipe, till)
        let ended = try till.run(["restore-backup", pipe])
        #expect(
            ended.status == 9 && ended.errors.contains("is not a regular file"), "\(ended.errors)")
        #expect(try till.step("read").contains("$20.00"))
    }

    @Test("A pipe in place of the file of Mastermind games is refused")
    func games() throws {
        let till = try Till()
        let services = try PlayedServices(till)
        try services.step("mastermind login amanda")
        try put("\(till.data)/mastermind.json", till)
        let ended = try services.run("mastermind ranking")
        #expect(ended.status == 1)
        #expect(
            till.masked(ended.errors)
                == "tapcard: The Mastermind games file cannot be read: "
                + "~/.local/share/tapcard/simulated/mastermind.json is a pipe, not a file. The "
                + "ranking is not available. Start tapcard as the owner of the file, or delete the "
                + "file and log in again.\n")
        try services.stop()
    }

    @Test("A pipe in place of the lottery cache is ignored, and the draws are fetched again")
    func cache() throws {
        let till = try Till()
        let services = try PlayedServices(till)
        let draws = try services.step("draws")
        try put("\(till.data)/cache/draws", till)
        let ended = try services.run("draws")
        #expect(ended.status == 0 && ended.output == draws + "\n" && ended.errors == "")
        try services.stop()
    }

    @Test("A dump can be restored through a pipe")
    func dump() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let (path, pipe) = (till.file("card.dump"), till.file("pipe"))
        try till.step("tag dump \(path)")
        try put(pipe, till)
        let writer = try ChildProcess(
            "/bin/sh", ["-c", "cat \"$0\" > \"$1\"", path, pipe], environment: [:],
            folder: till.home)
        let ended = try till.run(["tag", "restore", pipe, "--overwrite"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try writer.end().status == 0)
    }
}
