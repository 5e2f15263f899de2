import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A till talks only to the server that it means, and over TLS.
@Suite("Encryption of the link to PostgreSQL", .serialized) struct EncryptionTests {
    @Test("A station connects only over TLS and only to a server that proves its name")
    func needsAServerThatProvesItsName() async throws {
        // Every machine has 16 million addresses of its own: this one is free.
        let address = (0..<3).reduce("127") { text, _ in "\(text).\(Int.random(in: 1...250))" }
        let server = try PrivatePostgreSQL(listening: address)
        defer { server.kill() }
        let owned = PostgreSQLDatabase(try server.database("issuer"), now: { .tick(0) })
        try await owned.makeLedger(in: .usd, partitions: 1)
        let name = try #require(StationName("till-1"))
        _ = try await owned.register(name, password: "secret")
        let place = "postgresql://till-1:secret@\(address)/issuer"
        let root = "?sslrootcert=\(server.certificate)"
        for settings in [root, root + "&channel_binding=require"] {
            let ledger = try await PostgreSQLLedger.open(place + settings, as: nil)
            #expect(ledger.currency == .usd)
            // Its session ends soon after the station: the server's own settings would take hours.
            let status = try await ledger.databaseStatus(at: .tick(0))
            #expect(status?.link == .network(timeout: 7))
        }
        let refused = [
            "": "root certificate", "?sslrootcert=/nonexistent": "root certificate",
            "?sslmode=disable": "no encryption",
        ]
        for (settings, words) in refused {
            let error = await #expect(throws: LedgerError.self, "\(settings)") {
                _ = try await PostgreSQLLedger.open(place + settings, as: nil)
            }
            #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "")")
        }
        // The same server by another name.
        let named = "postgresql://till-1:secret@wrong.example/issuer\(root)&hostaddr=\(address)"
        let error = await #expect(throws: LedgerError.self) {
            _ = try await PostgreSQLLedger.open(named, as: nil)
        }
        #expect(error?.detail.contains("does not match") == true, "\(error?.detail ?? "")")
    }
}
