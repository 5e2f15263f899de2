import Foundation
import Glibc
import Ledger
import PostgreSQLLedger
import TestSupport
import Testing

/// A server that answers every connection with an error, like one that is not ready.
@Suite("Connections that PostgreSQL refuses") struct RefusedConnectionTests {
    /// Every message of a server that starts, recovers or stops, and of a replica that takes no
    /// connections.
    @Test(
        "A ledger is offline while its server starts or stops",
        arguments: [
            "starting up", "not yet accepting connections", "not accepting connections",
            "shutting down", "in recovery mode",
        ])
    func starting(state: String) async throws {
        #expect(try await kind(after: "the database system is \(state)") == .offline)
    }

    @Test("A ledger whose server refuses it for another reason is unavailable, not offline")
    func refused() async throws {
        #expect(try await kind(after: "role \"till\" does not exist") == .unavailable)
    }

    private func kind(after words: String) async throws -> LedgerError.Kind? {
        let server = try RefusingServer(words)
        let error = await #expect(throws: LedgerError.self) {
            _ = try await PostgreSQLLedger.open(
                "host=127.0.0.1 port=\(server.port) user=till dbname=issuer sslmode=disable",
                as: 1)
        }
        return error?.kind
    }
}

/// Refuses each connection with a FATAL error of these words.
private final class RefusingServer {
    let port: UInt16
    private let listener: CInt

    init(_ words: String) throws {
        (listener, port) = try Loopback.listen(backlog: 8)
        let listener = listener
        let fields = Array("SFATAL\0VFATAL\0C57P03\0M\(words)\0\0".utf8)
        let size = UInt8(fields.count + 4)
        let message = [UInt8(ascii: "E"), 0, 0, 0, size] + fields
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                // A socket that is closed with unread bytes is reset, and its message lost.
                var packet = [UInt8](repeating: 0, count: 1024)
                unsafe recv(client, &packet, packet.count, 0)
                unsafe send(client, message, message.count, CInt(MSG_NOSIGNAL))
                close(client)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, CInt(SHUT_RDWR)) }
}
