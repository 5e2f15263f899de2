extension TagDump {
    /// The data that no reader can read but that a simulated tag has to keep.
    public struct Secrets: Hashable, Sendable {
        /// Four bytes.
        public let password: [UInt8]
        /// Two bytes.
        public let pack: [UInt8]
        /// The number of wrong passwords that the tag has counted.
        public let failedPasswords: Int

        /// Throws for a password, PACK, or count that no tag can hold.
        public init(password: [UInt8], pack: [UInt8], failedPasswords: Int) throws(Type2Error) {
            guard password.count == Page.size, pack.count == TagMemory.packLength else {
                throw Type2Error(.badValue, "a password must have 4 bytes, and a PACK 2")
            }
            guard (0...TagMemory.maximumFailedPasswords).contains(failedPasswords) else {
                throw Type2Error(
                    .badValue, "at most \(TagMemory.maximumFailedPasswords) wrong passwords")
            }
            self.password = password
            self.pack = pack
            self.failedPasswords = failedPasswords
        }

        /// `nil` for a chip without secrets.
        init?(of memory: TagMemory) {
            guard let password = memory.chip.passwordPage, let pack = memory.chip.packPage else {
                return nil
            }
            self.password = memory[password].bytes
            self.pack = Array(memory[pack].bytes.prefix(TagMemory.packLength))
            failedPasswords = memory.failedPasswords
        }

        func write(to memory: inout TagMemory) {
            guard let passwordPage = memory.chip.passwordPage, let packPage = memory.chip.packPage
            else { return }
            // `init` has checked both lengths, so neither page can be `nil`.
            memory[passwordPage] = Page(password) ?? .zero
            memory[packPage] = Page(pack + [0, 0]) ?? .zero
            memory.failedPasswords = failedPasswords
        }
    }
}
