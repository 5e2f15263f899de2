import Foundation
import Glibc

/// A cable between this machine and one of a server's, which is a network namespace. Once it is
/// unplugged, neither end hears anything from the other, not even that it is gone. A program in
/// between cannot simulate that, because its system keeps answering for it.
package final class Cable: Sendable {
    /// Whether this system can make one, which takes root and iproute2.
    package static let isPossible: Bool = {
        guard getuid() == 0, let cable = try? Cable() else { return false }
        cable.end()
        return true
    }()

    let namespace: String
    /// The address of the server's machine.
    package let address: String
    private let plug: String

    package init() throws {
        // Two bits of 198.18.0.0/15, which is kept for measurements, are left for the two ends.
        let number = Int.random(in: 0..<(1 << 15))
        let network = (198 << 24 | 18 << 16) + number << 2
        func end(_ host: Int) -> String {
            [24, 16, 8, 0].map { String((network + host) >> $0 & 255) }.joined(separator: ".")
        }
        (namespace, plug, address) = ("tapcard-\(number)", "tapcard\(number)", end(2))
        do {
            try ip("netns", "add", namespace)
            try ip(
                "link", "add", plug, "type", "veth", "peer", "name", "server", "netns", namespace)
            try ip("address", "add", end(1) + "/30", "dev", plug)
            try ip("link", "set", plug, "up")
            try ip("-n", namespace, "address", "add", end(2) + "/30", "dev", "server")
            try ip("-n", namespace, "link", "set", "server", "up")
        } catch {
            self.end()
            throw error
        }
    }

    package func pullOut() throws { try ip("link", "set", plug, "down") }

    package func end() {
        // The other end goes with it.
        try? ip("link", "del", plug)
        try? ip("netns", "del", namespace)
    }

    private func ip(_ words: String...) throws {
        try PrivatePostgreSQL.run(["/usr/sbin/ip"] + words, asRoot: true)
    }
}
