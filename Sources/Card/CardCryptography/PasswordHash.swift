import COpenSSL

/// A hash of a user's password and a salt, stored instead of the password. Computing it takes a lot
/// of time and memory (scrypt, RFC 7914), so a thief cannot try many passwords.
package struct PasswordHash: Hashable, Sendable {
    /// The cost of computing the hash, stored with the hash because a later version may raise it.
    package struct Cost: Hashable, Sendable {
        /// A power of two.
        package let rounds: UInt64
        package let blockSize: UInt64
        package let lanes: UInt64

        /// The default: 32 MiB and about 240 ms, as OWASP recommended for scrypt in 2025.
        package static let standard = Cost(unchecked: 32_768, 8, 3)
        /// Whether this cost is lower than the default.
        package var isBelowDefault: Bool { work < Cost.standard.work }
        private var work: UInt64 { rounds * blockSize * lanes }

        /// `nil` if the cost is invalid or requires more than 64 MiB, so that a crafted file cannot
        /// exhaust memory.
        package init?(rounds: UInt64, blockSize: UInt64, lanes: UInt64) {
            guard (1_024...65_536).contains(rounds), rounds.nonzeroBitCount == 1,
                (1...32).contains(blockSize), (1...4).contains(lanes),
                // scrypt needs 128 bytes times the number of rounds times the block size (RFC
                // 7914).
                128 * rounds * blockSize <= PasswordHash.memoryLimit / 2
            else { return nil }
            self.init(unchecked: rounds, blockSize, lanes)
        }

        /// The cost of the lanes that this cost lacks compared with the default. `nil` unless the
        /// two differ only in that this cost has fewer lanes.
        fileprivate var missing: Cost? {
            let standard = Cost.standard
            guard rounds == standard.rounds, blockSize == standard.blockSize, lanes < standard.lanes
            else {
                return nil
            }
            // scrypt's lanes are independent, so the cost grows in proportion to their number.
            return Cost(unchecked: rounds, blockSize, standard.lanes - lanes)
        }

        private init(unchecked rounds: UInt64, _ blockSize: UInt64, _ lanes: UInt64) {
            (self.rounds, self.blockSize, self.lanes) = (rounds, blockSize, lanes)
        }
    }

    package static let size = 32
    package static let saltSize = 16
    fileprivate static let memoryLimit: UInt64 = 128 << 20

    package let cost: Cost
    package let salt: [UInt8]
    package let bytes: [UInt8]

    /// The hash of a new password. `salt` must be random and different for each password.
    package init(_ password: String, salt: [UInt8], cost: Cost = .standard) {
        self.init(
            cost: cost, salt: salt,
            bytes: PasswordHash.derive(Array(password.utf8), salt, cost))
    }

    /// A hash loaded from storage.
    package init(cost: Cost, salt: [UInt8], bytes: [UInt8]) {
        (self.cost, self.salt, self.bytes) = (cost, salt, bytes)
    }

    /// Whether the password matches. The check takes the same time even if the hash was stored with
    /// fewer lanes than the default.
    package func accepts(_ password: String) -> Bool {
        let password = Array(password.utf8)
        // Makes up for the missing lanes, so that the duration does not reveal the stored cost.
        if let missing = cost.missing { _ = PasswordHash.derive(password, salt, missing) }
        return ConstantTime.equal(PasswordHash.derive(password, salt, cost), bytes)
    }

    private static func derive(_ password: [UInt8], _ salt: [UInt8], _ cost: Cost) -> [UInt8] {
        var derived = [UInt8](repeating: 0, count: size)
        let result = unsafe password.withUnsafeBufferPointer { password in
            unsafe password.withMemoryRebound(to: CChar.self) { password in
                unsafe CryptoLibraries.crypto.scrypt(
                    password.baseAddress, password.count, salt, salt.count, cost.rounds,
                    cost.blockSize, cost.lanes, memoryLimit, &derived, size)
            }
        }
        precondition(result == 1, "libcrypto has no scrypt, or there is not enough memory for it")
        return derived
    }
}
