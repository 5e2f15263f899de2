import TextCodecs

/// A Flipper Zero's `.nfc` file: one field per line.
///
/// Fields that no NTAG21x has are skipped, just as the Flipper skips unknown fields.
struct FlipperDump {
    static let firstField = "Filetype"
    private static let fileType = "Flipper NFC device"
    private static let versions = 2...4
    private static let writtenVersion = 4
    /// The device type since version 4; older files have the chip's name instead.
    private static let deviceType = "NTAG/Ultralight"
    private static let dataVersion = 2
    /// The two forms of ATQA: most significant byte first since version 3, and in transmission
    /// order before that.
    private static let atqa: [[UInt8]] = [[0x00, 0x44], [0x44, 0x00]]
    private static let pageMark = "Page "

    private typealias Field = (line: Int, value: Substring)

    private let fields: [Substring: Field]

    static func parsing(_ text: String) throws(Type2Error) -> TagDump {
        try FlipperDump(text).linear().dump()
    }

    private init(_ text: String) throws(Type2Error) {
        var fields: [Substring: Field] = [:]
        // Empty lines are kept here, so that errors give the right line number.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) where !line.isEmpty && !line.hasPrefix("#") {
            let parts = line.split(
                separator: TagDump.separator, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw FlipperDump.refusal(
                    .unknownLine, at: number, "this is neither a field nor a comment")
            }
            guard fields.updateValue((number, parts[1]), forKey: parts[0]) == nil else {
                throw FlipperDump.refusal(
                    .duplicateField, at: number, "\(TagDump.shown(parts[0])) is given twice")
            }
        }
        self.fields = fields
    }

    private func linear() throws(Type2Error) -> LinearDump {
        let fileType = try require(FlipperDump.firstField)
        guard fileType.value == FlipperDump.fileType else {
            throw refusal(.unknownVersion, fileType, "the file type is not that of a tag")
        }
        let version = try number("Version", atMost: UInt32.max)
        guard let version, FlipperDump.versions.contains(Int(version)) else {
            throw Type2Error(.unknownVersion, "the Flipper file version must be 2 to 4")
        }
        let chip = try chip()
        guard let uid = try bytes("UID", TagMemory.uidLength) else {
            throw Type2Error(.missingField, "the UID is missing")
        }
        try checkKind(of: chip)
        let signature = try bytes("Signature", TagMemory.signatureLength)
        var counter: UInt32 = 0
        for number in LinearDump.counterNumbers {
            let value = try self.number("Counter \(number)", atMost: TagMemory.maximumCounter)
            // The tearing flag is not kept, because an NTAG21x has none, but its format is checked.
            _ = try bytes("Tearing \(number)", 1)
            if number == LinearDump.counterNumber { counter = value ?? 0 }
        }
        let failures = try number("Failed authentication attempts", atMost: UInt32.max) ?? 0
        return LinearDump(
            chip: chip, uid: uid,
            signature: signature ?? [UInt8](repeating: 0, count: TagMemory.signatureLength),
            counter: counter, failedPasswords: Int(failures), pages: try pages(of: chip))
    }

    private func chip() throws(Type2Error) -> Type2Chip {
        let device = try require("Device type")
        var named = device
        if device.value == FlipperDump.deviceType {
            named = try require("\(FlipperDump.deviceType) type")
        }
        guard let chip = Type2Chip(named: named.value) else {
            throw refusal(
                .unknownChip, named, "tapcard does not support \(TagDump.shown(named.value))")
        }
        return chip
    }

    /// Checks that the ATQA, the SAK, and the version bytes match the chip, if the file has them.
    private func checkKind(of chip: Type2Chip) throws(Type2Error) {
        if let atqa = fields["ATQA"], !FlipperDump.atqa.contains(try bytes(atqa, 2)) {
            throw refusal(.contradiction, atqa, "ATQA does not match \(chip.name)")
        }
        if let sak = fields["SAK"], try bytes(sak, 1) != [0] {
            throw refusal(.contradiction, sak, "SAK does not match \(chip.name)")
        }
        if let version = fields["Mifare version"],
            try bytes(version, chip.version?.count ?? 0) != chip.version
        {
            throw refusal(
                .contradiction, version, "the version bytes do not match the chip \(chip.name)")
        }
    }

    /// The pages that were read, starting at page 0. The file has zeros for the others.
    private func pages(of chip: Type2Chip) throws(Type2Error) -> [Page] {
        let total = try number("Pages total", atMost: UInt32.max)
        guard let total else {
            throw Type2Error(.missingField, "the field \"Pages total\" is missing")
        }
        guard total == chip.pageCount else {
            throw Type2Error(
                total < chip.pageCount ? .missingPage : .excessPage,
                "\(total) pages, but \(chip.name) has \(chip.pageCount)")
        }
        let readCount = try number("Pages read", atMost: total) ?? total
        let names = (0..<chip.pageCount).map { FlipperDump.pageMark + "\($0)" }
        let known = Set(names.map { $0[...] })
        // Other unknown fields are skipped, but an excess page means that the file is for a
        // different chip.
        let excess = fields.filter {
            $0.key.hasPrefix(FlipperDump.pageMark) && !known.contains($0.key)
        }
        // A dictionary has no order, so the excess page with the lowest line number is reported.
        if let (name, field) = excess.min(by: { $0.value.line < $1.value.line }) {
            throw refusal(.excessPage, field, "\(chip.name) has no \(TagDump.shown(name))")
        }
        var pages: [Page] = []
        for name in names {
            guard let bytes = try bytes(name, Page.size), let page = Page(bytes) else {
                throw Type2Error(.missingPage, "\(name) is missing")
            }
            pages.append(page)
        }
        // A Flipper writes all pages, with zeros for those that it could not read.
        return Array(pages.prefix(Int(readCount)))
    }

    private func require(_ name: String) throws(Type2Error) -> Field {
        guard let field = fields[name[...]] else {
            throw Type2Error(.missingField, "the field \"\(name)\" is missing")
        }
        return field
    }

    private func bytes(_ name: String, _ count: Int) throws(Type2Error) -> [UInt8]? {
        guard let field = fields[name[...]] else { return nil }
        return try bytes(field, count)
    }

    private func bytes(_ field: Field, _ count: Int) throws(Type2Error) -> [UInt8] {
        let parts = field.value.split(separator: " ", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { Hexadecimal.decode($0) }
        guard parts.count == count, bytes.count == count, bytes.allSatisfy({ $0.count == 1 }) else {
            throw refusal(
                .badValue, field,
                "the value must be \(count) hexadecimal "
                    + (count == 1 ? "byte of two digits" : "bytes of two digits each"))
        }
        return bytes.flatMap(\.self)
    }

    private func number(
        _ name: String, atMost limit: UInt32
    ) throws(Type2Error) -> UInt32? {
        guard let field = fields[name[...]] else { return nil }
        // Compared as text, so that a sign or a leading zero is refused.
        guard let number = UInt32(field.value), number <= limit, "\(number)" == field.value else {
            throw refusal(
                .badValue, field, "\(TagDump.shown(field.value)) is not a number from 0 to \(limit)"
            )
        }
        return number
    }

    private func refusal(
        _ kind: Type2Error.Kind, _ field: Field, _ reason: String
    ) -> Type2Error {
        FlipperDump.refusal(kind, at: field.line, reason)
    }

    private static func refusal(
        _ kind: Type2Error.Kind, at line: Int, _ reason: String
    ) -> Type2Error {
        Type2Error(kind, "line \(line): \(reason)")
    }
}

extension FlipperDump {
    static func text(of dump: TagDump) throws(Type2Error) -> String {
        let linear = try LinearDump(dump)
        var lines = [
            line(firstField, fileType), line("Version", writtenVersion),
            "# Written by tapcard",
            line("Device type", deviceType), line("UID", bytes: linear.uid),
            line("ATQA", bytes: atqa[0]), line("SAK", bytes: [0]),
            line("Data format version", dataVersion),
            line("\(deviceType) type", linear.chip.name),
            line("Signature", bytes: linear.signature),
            line("Mifare version", bytes: linear.chip.version ?? []),
        ]
        for number in LinearDump.counterNumbers {
            // A Flipper expects three counters; an NTAG21x has only the last.
            let value = number == LinearDump.counterNumber ? linear.counter : 0
            lines += [line("Counter \(number)", value), line("Tearing \(number)", bytes: [0])]
        }
        lines += [
            line("Pages total", linear.chip.pageCount), line("Pages read", linear.pages.count),
        ]
        for number in 0..<linear.chip.pageCount {
            let page = linear.pages.indices.contains(number) ? linear.pages[number] : .zero
            lines.append(line(pageMark + "\(number)", page))
        }
        lines.append(line("Failed authentication attempts", linear.failedPasswords))
        return lines.map { $0 + "\n" }.joined()
    }

    private static func line(_ name: String, _ value: some CustomStringConvertible) -> String {
        name + TagDump.separator + "\(value)"
    }

    /// The label is needed because Swift 6.2 would otherwise treat `[0]` as an array of integers,
    /// which the function above accepts.
    private static func line(_ name: String, bytes: [UInt8]) -> String {
        line(name, bytes.map { Hexadecimal.encode([$0]) }.joined(separator: " "))
    }
}
