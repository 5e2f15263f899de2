package import CardCryptography
package import TapcardDomain

/// The nonvolatile memory of an NTAG 424: a value that can be copied, compared, torn, and stored in
/// a file.
package struct NTAG424Memory: Hashable, Sendable {
    /// A file: its settings and its bytes.
    package struct File: Hashable, Sendable {
        package var settings: FileSettings
        package var bytes: [UInt8]
    }

    /// A key, and counts of the failed attempts to authenticate with it.
    package struct Key: Hashable, Sendable {
        package var key: AESKey
        package var version: UInt8
        /// The number of failed attempts, minus `FailureRule.decrement` for each success. At the
        /// limit, the key is locked.
        package var failures: UInt16
        /// The number of failed attempts since the last success.
        package var failuresInARow: UInt16
        /// How many more attempts the chip will reject without checking them.
        package var delays: UInt16
    }

    /// How failed attempts are counted: the limit, and the number that each success subtracts.
    package struct FailureRule: Hashable, Sendable {
        package var limit: UInt16
        package var decrement: UInt16
    }

    package let uid: CardUID
    /// The maker's signature for the UID.
    package let signature: [UInt8]
    package internal(set) var files: [File]
    package internal(set) var keys: [Key]
    /// The number of reads of the NDEF file without authentication (SDMReadCtr).
    package var reads: UInt32
    /// `nil` if failed attempts are not counted.
    package internal(set) var failureRule: FailureRule?
    /// Whether protected WriteData in more than one block is forbidden.
    package internal(set) var forbidsChaining: Bool
    /// Whether the chip has been permanently switched to its other protocol (LRP).
    package internal(set) var usesLRP = false

    static let defaultRule = FailureRule(limit: 1000, decrement: 10)

    /// A chip as it leaves the factory: all keys are zero, and anyone can write the data that
    /// phones read.
    package init(factory uid: CardUID, signature: [UInt8]? = nil) {
        self.uid = uid
        let size = Originality.Family.ntag424.signatureSize
        self.signature = signature ?? [UInt8](repeating: 0, count: size)
        files = FileNumber.allCases.map { NTAG424Memory.factory($0) }
        let zeros = AESKey([UInt8](repeating: 0, count: AESKey.size))
        keys = KeyNumber.allCases.map { _ in
            Key(key: zeros, version: 0, failures: 0, failuresInARow: 0, delays: 0)
        }
        (reads, failureRule, forbidsChaining) = (0, NTAG424Memory.defaultRule, false)
    }

    /// A new chip with the UID and signature of a real chip (AN12196, 7.2).
    package static let signedExample: NTAG424Memory = {
        guard let uid = CardUID(bytes: [0x04, 0x51, 0x8D, 0xFA, 0xA9, 0x61, 0x80]) else {
            preconditionFailure("a UID has seven bytes")
        }
        return NTAG424Memory(
            factory: uid,
            signature: [
                0xD1, 0x94, 0x0D, 0x17, 0xCF, 0xED, 0xA4, 0xBF, 0xF8, 0x03, 0x59, 0xAB, 0x97, 0x5F,
                0x9F, 0x65, 0x14, 0x31, 0x3E, 0x8F, 0x90, 0xC1, 0xD3, 0xCA, 0xAF, 0x59, 0x41, 0xAD,
                0x74, 0x4A, 0x1C, 0xDF, 0x9A, 0x83, 0xF8, 0x83, 0xCA, 0xFE, 0x0F, 0xE9, 0x5D, 0x19,
                0x39, 0xB1, 0xB7, 0xE4, 0x71, 0x13, 0x99, 0x33, 0x24, 0x47, 0x3B, 0x78, 0x5D, 0x21,
            ])
    }()

    init(
        uid: CardUID, signature: [UInt8], files: [File], keys: [Key], reads: UInt32,
        failureRule: FailureRule?, forbidsChaining: Bool
    ) {
        (self.uid, self.signature, self.files) = (uid, signature, files)
        (self.keys, self.reads, self.failureRule) = (keys, reads, failureRule)
        self.forbidsChaining = forbidsChaining
    }

    /// A chip as it leaves the factory. `nil` unless the UID has seven bytes.
    package init?(factory number: [UInt8]) {
        guard let uid = CardUID(bytes: number) else { return nil }
        self.init(factory: uid)
    }

    /// The bytes of the chip's UID.
    package var number: [UInt8] { uid.bytes }

    package subscript(_ file: FileNumber) -> File {
        // File numbers start at 1, and array indices at 0.
        get { files[Int(file.rawValue) - 1] }
        set { files[Int(file.rawValue) - 1] = newValue }
    }

    package subscript(_ key: KeyNumber) -> Key {
        get { keys[Int(key.rawValue)] }
        set { keys[Int(key.rawValue)] = newValue }
    }

    /// The content after a power loss, when this many bytes had been written. A command that
    /// arrives in one block is executed completely or not at all; a command that arrives in several
    /// blocks is left half done.
    package static func torn(
        from before: NTAG424Memory, to after: NTAG424Memory, at writtenCount: Int, isChained: Bool
    ) -> NTAG424Memory {
        var memory = isChained ? after : before
        var remainingCount = writtenCount
        var isComplete = true
        for file in FileNumber.allCases {
            let (old, new) = (before[file].bytes, after[file].bytes)
            for index in old.indices where old[index] != new[index] {
                if remainingCount == 0 {
                    isComplete = false
                    // Only the bytes before this point were written before the power loss.
                    if isChained { memory[file].bytes[index] = old[index] }
                } else {
                    remainingCount -= 1
                }
            }
        }
        // A change that affects only keys or settings is complete after the first step.
        if before.files.map(\.bytes) == after.files.map(\.bytes) { isComplete = writtenCount > 0 }
        return isComplete ? after : memory
    }

    private static func factory(_ file: FileNumber) -> File {
        var bytes = [UInt8](repeating: 0, count: file.size)
        let application = AccessCondition.key(.application)
        switch file {
        case .capability:
            // The capability container that real chips have when they leave the factory, with the
            // locations of the other files.
            bytes.replaceSubrange(
                0..<23,
                with: [
                    0x00, 0x17, 0x20, 0x01, 0x00, 0x00, 0xFF, 0x04, 0x06, 0xE1, 0x04, 0x01, 0x00,
                    0x00, 0x00, 0x05, 0x06, 0xE1, 0x05, 0x00, 0x80, 0x82, 0x83,
                ])
            return File(
                settings: FileSettings(
                    mode: .plain,
                    rights: AccessRights(
                        read: .free, write: application, readWrite: application,
                        change: application)),
                bytes: bytes)
        case .ndef:
            return File(
                settings: FileSettings(
                    mode: .plain,
                    rights: AccessRights(
                        read: .free, write: .free, readWrite: .free, change: application)),
                bytes: bytes)
        case .data:
            // The factory value: the length of a proprietary file, which is 126 bytes after these
            // two.
            bytes.replaceSubrange(0..<2, with: [0x00, 0x7E])
            return File(
                settings: FileSettings(
                    mode: .full,
                    rights: AccessRights(
                        read: .key(.two), write: .key(.three), readWrite: .key(.three),
                        change: application)),
                bytes: bytes)
        }
    }
}
