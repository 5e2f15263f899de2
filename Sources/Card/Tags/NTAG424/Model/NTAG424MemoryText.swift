import CardCryptography
import TapcardDomain
import TextCodecs

/// The text form of a chip's memory, with its keys, for a simulation file: one field per line, each
/// exactly once and in a fixed order.
extension NTAG424Memory {
    /// The first line, without the format version.
    package static let heading = "tapcard chip ntag424"
    private static let formatVersion = "1"
    private static let none = "none"
    /// The value of the `protocol` line, which only chips in LRP mode have.
    private static let lrpProtocol = "lrp"

    /// The text, with a line ending after every line.
    package var text: String {
        var fields = [
            ("uid", Hexadecimal.encode(uid.bytes)), ("signature", Hexadecimal.encode(signature)),
            ("reads", "\(reads)"),
            (
                "failure-limit",
                failureRule.map { "\($0.limit) \($0.decrement)" } ?? NTAG424Memory.none
            ),
            ("chained-writing", forbidsChaining ? "forbidden" : "allowed"),
        ]
        if usesLRP { fields.append(("protocol", NTAG424Memory.lrpProtocol)) }
        for number in KeyNumber.allCases {
            let key = self[number]
            // The text still contains the key in hexadecimal, but at least this copy is wiped.
            var bytes = key.key.copyOfBytes()
            defer { Wiping.wipe(&bytes) }
            fields.append(
                (
                    "key-\(number.rawValue)",
                    "\(Hexadecimal.encode(bytes)) \(key.version) \(key.failures) "
                        + "\(key.failuresInARow) \(key.delays)"
                ))
        }
        for file in FileNumber.allCases {
            let content = self[file]
            fields.append(
                ("settings-\(file.rawValue)", Hexadecimal.encode(content.settings.change)))
            fields.append(("file-\(file.rawValue)", Hexadecimal.encode(content.bytes)))
        }
        return "\(NTAG424Memory.heading) \(NTAG424Memory.formatVersion)\n"
            + fields.map { "\($0.0): \($0.1)\n" }.joined()
    }

    /// `nil` unless the `text` of the resulting memory would be identical.
    package init?(parsing text: String) {
        var values: [String: String] = [:]
        // The comparison at the end also covers the first line.
        for line in text.split(separator: "\n").dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else {
                return nil
            }
        }
        func bytes(_ name: String) -> [UInt8]? { values[name].flatMap { Hexadecimal.decode($0) } }
        guard let uid = bytes("uid").flatMap(CardUID.init(bytes:)),
            let signature = bytes("signature"),
            signature.count == Originality.Family.ntag424.signatureSize,
            let reads = values["reads"].flatMap({ UInt32($0) }), reads <= TapIdentity.maximumReads,
            let limit = values["failure-limit"], let chaining = values["chained-writing"]
        else { return nil }
        var keys: [Key] = []
        for number in KeyNumber.allCases {
            guard let key = values["key-\(number.rawValue)"].flatMap(NTAG424Memory.key) else {
                return nil
            }
            keys.append(key)
        }
        var files: [File] = []
        for file in FileNumber.allCases {
            guard
                let settings = bytes("settings-\(file.rawValue)").flatMap(
                    FileSettings.init(change:)),
                let content = bytes("file-\(file.rawValue)"), content.count == file.size,
                // Writing a mirrored value outside the file would crash the program.
                settings.mirror.map({ file == .ndef && $0.fits(file.size) }) ?? true
            else { return nil }
            files.append(File(settings: settings, bytes: content))
        }
        let numbers = limit.split(separator: " ").compactMap { UInt16($0) }
        // Anything but two numbers is read as `none`; the comparison at the end then refuses
        // anything but `none` itself.
        let rule = numbers.count == 2 ? FailureRule(limit: numbers[0], decrement: numbers[1]) : nil
        self.init(
            uid: uid, signature: signature, files: files, keys: keys, reads: reads,
            failureRule: rule, forbidsChaining: chaining == "forbidden")
        usesLRP = values["protocol"] == NTAG424Memory.lrpProtocol
        // This single comparison catches a wrong order, extra fields, leading zeros, and lower-case
        // letters.
        guard self.text == text else { return nil }
    }

    private static func key(_ text: String) -> Key? {
        let parts = text.split(separator: " ")
        guard parts.count == 5, var bytes = Hexadecimal.decode(parts[0]),
            bytes.count == AESKey.size, let version = UInt8(parts[1]),
            let failures = UInt16(parts[2]), let failuresInARow = UInt16(parts[3]),
            let delays = UInt16(parts[4])
        else { return nil }
        return Key(
            key: AESKey(wiping: &bytes), version: version, failures: failures,
            failuresInARow: failuresInARow, delays: delays)
    }
}
