import Ledger
import OperatingSystem
import Testing

@Suite("Failed commands of a ledger's owner")
struct OwnerFailureTests {
    private static let owner = "--ledger postgresql://owner@db/issuer"
    private static let lost = ProgramBench.Failures(
        database: LedgerError(.outcomeUnknown, "the database did not say whether it kept it"))
    private static let refused = ProgramBench.Failures(
        database: LedgerError(.refused, "there is a server till-1"))

    @Test("A registration that lost its answer keeps the password and says how to find out")
    func lostRegistration() async throws {
        let bench = try ProgramBench()
        let path = bench.path(of: "login.pgpass")
        try bench.write("{}", to: "config.json")
        let ended = await bench.run(
            "\(Self.owner) servers add till-1 \(path)", failing: Self.lost)
        #expect(ended.status != 0)
        #expect(
            ended.text.contains(
                "The server may have been added; its password is in "
                    + "~/tapcard/simulated/login.pgpass. To find out, run: tapcard servers list"),
            "\(ended.text)")
        #expect(try DurableFile(path).read() != nil)
    }

    @Test("A refused registration leaves no password behind")
    func refusedRegistration() async throws {
        let bench = try ProgramBench()
        let path = bench.path(of: "login.pgpass")
        try bench.write("{}", to: "config.json")
        let ended = await bench.run(
            "\(Self.owner) servers add till-1 \(path)", failing: Self.refused)
        #expect(ended.status != 0 && ended.text.contains("Nothing was changed."), "\(ended.text)")
        #expect(try DurableFile(path).read() == nil)
    }

    @Test("A registration to standard output that lost its answer prints no password")
    func lostRegistrationToOutput() async throws {
        let bench = try ProgramBench()
        let ended = await bench.run(
            "\(Self.owner) servers add till-1 -", failing: Self.lost)
        #expect(
            ended.text.contains(
                "The server may have been added, but its password was not printed. If tapcard "
                    + "servers list shows it, remove it with tapcard servers remove till-1, then "
                    + "add the server under another name."), "\(ended.text)")
        #expect(!ended.text.contains("*:*:*:till-1"))
    }

    @Test(
        "A failed copy says where the ledger file is and whether the database has the copy",
        arguments: [
            (Self.lost, "The copy may be complete", "Run the same command again to find out."),
            (
                Self.refused, "The database is unchanged",
                "Run the same command again, or go back: mv "
            ),
        ])
    func copy(failures: ProgramBench.Failures, meaning: String, advice: String) async throws {
        let bench = try ProgramBench()
        // In memory, setting a ledger aside keeps its name.
        let path = bench.path(of: "old.sqlite")
        try bench.write("{}", to: "config.json")
        let ended = await bench.run(
            "ledger copy \(path) --into postgresql://owner@db/issuer", failing: failures)
        #expect(ended.status != 0)
        #expect(
            ended.text.contains(
                "\(meaning); the ledger file is no longer used and is now called "
                    + "~/tapcard/simulated/old.sqlite. \(advice)"), "\(ended.text)")
    }
}
