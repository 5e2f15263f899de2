import COpenSSL

/// What is kept of a person's password: bytes that follow from it and a salt, slowly and with much
/// memory (scrypt, RFC 7914), so that whoever steals them cannot try many.
public struct PasswordHash: Hashable, Sendable {
    /// How slow it is. Kept beside the bytes: a later version may ask for more.
    public struct Cost: Hashable, Sendable {
        /// A power of two.
        public let rounds: UInt64
        public let blockSize: UInt64
        public let lanes: UInt64

        /// 32 MiB, and about 240 ms: what OWASP recommended for scrypt in 2025.
        public static let usual = Cost(known: 32_768, 8, 3)
        /// Whether it is less work than that.
        public var isBelowUsual: Bool { work < Cost.usual.work }
        private var work: UInt64 { rounds * blockSize * lanes }

        /// Nil where it is none, or would take more than 64 MiB: a file must stop nobody.
        public init?(rounds: UInt64, blockSize: UInt64, lanes: UInt64) {
            guard (1_024...65_536).contains(rounds), rounds.nonzeroBitCount == 1,
                (1...32).contains(blockSize), (1...4).contains(lanes),
                128 * rounds * blockSize <= PasswordHash.mostMemory / 2
            else { return nil }
            self.init(known: rounds, blockSize, lanes)
        }

        /// The lanes missing from the usual cost, if only lanes are missing.
        fileprivate var missing: Cost? {
            let usual = Cost.usual
            guard rounds == usual.rounds, blockSize == usual.blockSize, lanes < usual.lanes else {
                return nil
            }
            return Cost(known: rounds, blockSize, usual.lanes - lanes)
        }

        private init(known rounds: UInt64, _ blockSize: UInt64, _ lanes: UInt64) {
            (self.rounds, self.blockSize, self.lanes) = (rounds, blockSize, lanes)
        }
    }

    public static let size = 32
    public static let saltSize = 16
    fileprivate static let mostMemory: UInt64 = 128 << 20

    public let cost: Cost
    public let salt: [UInt8]
    public let bytes: [UInt8]

    /// What is kept of a new password. `salt` is made of chance, for each anew.
    public init(_ password: String, salt: [UInt8], cost: Cost = .usual) {
        self.init(
            cost: cost, salt: salt,
            bytes: PasswordHash.derive(Array(password.utf8), salt, cost))
    }

    /// What was kept.
    public init(cost: Cost, salt: [UInt8], bytes: [UInt8]) {
        (self.cost, self.salt, self.bytes) = (cost, salt, bytes)
    }

    /// Whether this is the password. Takes as long for any other, and for one that was kept when less
    /// was usual.
    public func accepts(_ password: String) -> Bool {
        let password = Array(password.utf8)
        if let missing = cost.missing { _ = PasswordHash.derive(password, salt, missing) }
        return ConstantTime.equal(PasswordHash.derive(password, salt, cost), bytes)
    }

    private static func derive(_ password: [UInt8], _ salt: [UInt8], _ cost: Cost) -> [UInt8] {
        var derived = [UInt8](repeating: 0, count: size)
        let result = unsafe password.withUnsafeBufferPointer { password in
            unsafe password.withMemoryRebound(to: CChar.self) { password in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress, password.count, salt, salt.count, cost.rounds,
                    cost.blockSize, cost.lanes, mostMemory, &derived, size)
            }
        }
        precondition(result == 1, "libcrypto has no scrypt, or there is no memory for it")
        return derived
    }
}
