/// A URI record: a URI whose prefix is abbreviated to one byte.
package struct NDEFURI: Hashable, Sendable {
    /// The prefixes that a single byte stands for, indexed by that byte. Values of 24h and above
    /// are reserved.
    package static let prefixes = [
        "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:",
        "ftp://anonymous:anonymous@", "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://",
        "ftp://", "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:",
        "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://",
        "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:",
        "urn:nfc:",
    ]

    static let typeName = "U"

    package var uri: String

    package init(_ uri: String) {
        self.uri = uri
    }

    /// Reads a URI record. Control characters are refused: no valid URI contains any, and they
    /// could send commands to a terminal.
    package init(_ record: NDEFRecord) throws(NDEFError) {
        guard record.isWellKnown(Self.typeName) else {
            throw NDEFError(.badType, "a record other than a URI record")
        }
        guard let code = record.payload.first else {
            throw NDEFError(.badURI, "a record without a prefix byte")
        }
        guard Self.prefixes.indices.contains(Int(code)) else {
            throw NDEFError(.badURI, "prefix \(code) is reserved")
        }
        guard let rest = String(validating: record.payload.dropFirst(), as: UTF8.self),
            rest.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw NDEFError(.badURI, "not UTF-8, or with control characters") }
        uri = Self.prefixes[Int(code)] + rest
    }

    /// This URI as a record that uses the longest matching prefix.
    package var record: NDEFRecord {
        var code: UInt8 = 0
        var prefixCount = 0
        // Bytes are compared, not characters: a combining accent after the prefix would change the
        // prefix's last character.
        for (candidate, prefix) in zip(UInt8(0)..., Self.prefixes)
        where prefix.utf8.count > prefixCount && uri.utf8.starts(with: prefix.utf8) {
            code = candidate
            prefixCount = prefix.utf8.count
        }
        return NDEFRecord(
            format: .wellKnown, type: Array(Self.typeName.utf8),
            payload: [code] + uri.utf8.dropFirst(prefixCount))
    }
}
