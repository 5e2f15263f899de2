package import TextCodecs

/// The passphrase for one sealed table: 25 random letters and digits, shown only once.
///
/// It has 125 random bits, so there is no need to slow down guessing.
package struct TablePassphrase: Hashable, Sendable {
    /// The number of random bytes for one passphrase.
    package static let randomByteCount = 25
    private static let groupSize = 5
    /// I, L, and O are left out because they look like digits, and U because it could form words.
    private static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    private let letters: Secret

    /// A passphrase made from `randomByteCount` unpredictable bytes; any other count is a
    /// programming error.
    package init(random: [UInt8]) {
        precondition(random.count == TablePassphrase.randomByteCount, "a byte for each letter")
        // Five bits of each byte select one of the 32 symbols, all of which are equally likely.
        letters = Secret(random.map { TablePassphrase.symbols[Int($0 & 31)] })
    }

    /// A passphrase as the user typed it: in upper or lower case, with any spaces and hyphens, and
    /// with O for 0, or I or L for 1. `nil` for anything else.
    package init?(typed text: String) {
        var letters: [UInt8] = []
        for letter in text.uppercased().utf8 where !" -\n\r\t".utf8.contains(letter) {
            // O, I, and L are not symbols, so they can only be misreadings.
            let corrected: UInt8 =
                switch letter {
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                default: letter
                }
            guard TablePassphrase.symbols.contains(corrected) else { return nil }
            letters.append(corrected)
        }
        guard letters.count == TablePassphrase.randomByteCount else { return nil }
        self.letters = Secret(letters)
    }

    /// The passphrase as shown to users, in groups of five.
    package var text: String {
        stride(from: 0, to: letters.bytes.count, by: TablePassphrase.groupSize).map { start in
            String(
                decoding: letters.bytes[start..<start + TablePassphrase.groupSize], as: UTF8.self)
        }.joined(separator: "-")
    }

    fileprivate var bytes: [UInt8] { letters.bytes }
}

extension TablePassphrase: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "secret" }
    package var debugDescription: String { description }
}

/// A table of card keys, sealed for transport to a station: encrypted (AES-128, CBC) and then
/// authenticated (HMAC, SHA-256), with keys derived from its passphrase (HKDF). Each file has its
/// own passphrase, so no key is used twice.
package struct SealedTable: Hashable, Sendable {
    private static let format = "tapcard sealed card keys 1"

    private let encrypted: [UInt8]
    private let code: [UInt8]

    /// Seals a table. The passphrase must never have been used for another table.
    package init(_ table: KeyRing, with passphrase: TablePassphrase) {
        precondition(table.isTable, "masters are never sealed for a station")
        let keys = Keys(passphrase)
        var plain = Array(table.json().text.utf8)
        let padding = AESKey.blockSize - plain.count % AESKey.blockSize
        // PKCS #7: each padding byte holds the number of padding bytes.
        plain += [UInt8](repeating: UInt8(padding), count: padding)
        encrypted = keys.cipher.encrypt(plain, vector: keys.vector)
        Wiping.wipe(&plain)
        code = keys.code(of: encrypted)
    }

    /// The sealed table as JSON, for a file.
    package func json() -> JSONValue {
        [
            "format": .string(SealedTable.format),
            "table": .string(Hexadecimal.encode(encrypted)),
            "code": .string(Hexadecimal.encode(code)),
        ]
    }

    /// Accepts only the output of `json`, pretty-printed or not. `nil` for any other kind of file.
    package init?(parsing bytes: [UInt8]) throws(KeyError) {
        guard let value = try? JSONValue.parsing(bytes, byteLimit: KeyRing.byteLimit),
            value["format"]?.string == SealedTable.format
        else { return nil }
        guard let encrypted = value["table"]?.string.flatMap({ Hexadecimal.decode($0) }),
            let code = value["code"]?.string.flatMap({ Hexadecimal.decode($0) }),
            !encrypted.isEmpty, encrypted.count.isMultiple(of: AESKey.blockSize),
            code.count == SHA256.size
        else { throw KeyError(.malformed, "the sealed table is incomplete") }
        (self.encrypted, self.code) = (encrypted, code)
        // Only the exact output is accepted, so that a change to any byte of the file is detected.
        guard [json().text, json().prettyText].contains(where: { bytes == Array($0.utf8) }) else {
            throw KeyError(.malformed, "the sealed table was altered")
        }
    }

    /// Checks the MAC, and only then decrypts the table.
    package func open(with passphrase: TablePassphrase) throws(KeyError) -> KeyRing {
        let keys = Keys(passphrase)
        // Checked before decrypting, so that padding errors cannot reveal anything about the
        // contents.
        guard ConstantTime.equal(keys.code(of: encrypted), code) else {
            throw KeyError(
                .sealed, "the passphrase is wrong for this file, or the file was altered")
        }
        var plain = keys.cipher.decrypt(encrypted, vector: keys.vector)
        defer { Wiping.wipe(&plain) }
        guard let padding = plain.last, (1...AESKey.blockSize).contains(Int(padding)) else {
            throw KeyError(.malformed, "the sealed table is incomplete")
        }
        let table = try KeyRing(parsing: Array(plain.dropLast(Int(padding))))
        guard table.isTable else {
            throw KeyError(.malformed, "the sealed file contains no table")
        }
        return table
    }

    /// The keys of one file.
    private struct Keys {
        let cipher: AESKey
        let vector: [UInt8]
        private let codeKey: [UInt8]

        init(_ passphrase: TablePassphrase) {
            var derived = HKDFSHA256.derive(
                secret: passphrase.bytes, salt: Array("tapcard".utf8),
                info: Array(SealedTable.format.utf8), count: 2 * AESKey.blockSize + SHA256.size)
            defer { Wiping.wipe(&derived) }
            cipher = AESKey(Array(derived.prefix(AESKey.size)))
            // Deriving the vector is safe, because each passphrase seals only one file.
            vector = Array(derived[AESKey.size..<2 * AESKey.size])
            codeKey = Array(derived.suffix(SHA256.size))
        }

        func code(of encrypted: [UInt8]) -> [UInt8] {
            HMACSHA256.code(for: encrypted, key: codeKey)
        }
    }
}
