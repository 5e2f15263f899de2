import TestSupport
import Testing

/// A person at their own computer who names the same ledger in each command.
struct TestIssuer {
    let till: Till
    let place: String
    var name = ""

    init(_ address: String) throws {
        (till, place) = (try Till(["TAPCARD_READER": ""]), address)
    }

    init(_ till: Till, _ place: String, _ name: String) {
        (self.till, self.place, self.name) = (till, place, name)
    }

    var home: String { till.home }

    /// A new station, as its owner and its cashier set it up. All stations have one reader.
    func station(_ number: Int) throws -> TestIssuer {
        let name = "till-\(number)-\(UInt32.random(in: 0...UInt32.max))"
        let registered = try step("servers add \(name) ~/\(name).pgpass")
        #expect(registered.hasPrefix("Server \(name) added"))
        let tags = "sim:\(home)/tags.txt"
        let till = try Till([
            "TAPCARD_READER": tags, "PGPASSFILE": "\(home)/\(name).pgpass",
        ])
        let place = place.replacing("user=tapcard", with: "user=\(name)")
        return TestIssuer(till, place, name)
    }

    @discardableResult
    func step(
        _ line: String, at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        try till.step("--ledger \(place) \(line)", at: location)
    }

    func status(_ line: String) throws -> Int32 {
        try till.runPatiently("--ledger \(place) \(line)").status
    }

    func expect(
        _ line: String, status: Int32 = 0, prints output: String = "",
        complains errors: String = "", at location: SourceLocation = #_sourceLocation
    ) throws {
        let ended = try till.runPatiently("--ledger \(place) \(line)")
        #expect(ended.status == status, "\(line)", sourceLocation: location)
        #expect(
            till.masked(ended.output) == (output.isEmpty ? "" : output + "\n"), "\(line)",
            sourceLocation: location)
        let complaint = till.masked(ended.errors).split(separator: "\n").last ?? ""
        #expect(
            complaint == (errors.isEmpty ? "" : "tapcard: \(errors)"), "\(line)",
            sourceLocation: location)
    }
}

extension TestIssuer {
    /// A ledger in its own empty database, which is removed afterwards.
    static func opened(
        _ body: (TestIssuer, PrivatePostgreSQL, _ name: String) throws -> Void
    ) throws {
        let server = try PrivatePostgreSQL.shared.get()
        let name = "issuer_\(UInt32.random(in: 0...UInt32.max))"
        let owner = try TestIssuer(try server.database(name))
        defer { try? server.remove(name) }
        try owner.step("ledger init --currency USD")
        try body(owner, server, name)
    }

    /// The words of a command on this ledger.
    func words(of line: String) -> [String] { till.words(of: "--ledger \(place) \(line)") }
}
