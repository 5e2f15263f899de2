import TestSupport
import Testing

/// A server's tills with readers on other machines, and these machines.
extension Till {
    func addCashier() throws {
        let ended = try run(
            ["cashiers", "add", "Ann"], with: ["TAPCARD_CASHIER_PASSWORD": "sesame-open"])
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// The code for a machine that this line prints.
    func code(_ line: String) throws -> String {
        let output = try step(line)
        return String(try #require(output.firstMatch(of: /minutes: (\S+)\n/)).output.1)
    }

    /// Starts the agent of this machine, and waits until its reader is attached.
    func connect(_ words: String...) throws -> ChildProcess {
        let agent = try start(["reader"] + words)
        try agent.wait("it is connected") { try agent.errors.contains("Connected to") }
        return agent
    }

    func connect(to page: CashierPage, code: String) throws -> ChildProcess {
        try connect("--server", page.address, "--code", code)
    }

    /// Starts a server that other servers of its ledger can reach.
    func servePeers() throws -> CashierPage {
        let first = try CashierPage(self, ["--no-reader"])
        try first.stop()
        return try CashierPage(
            self, ["--no-reader", "--port", first.port, "--peer-address", first.address])
    }
}
