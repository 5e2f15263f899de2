import TextCodecs

/// The JSON file that the Proxmark3 client writes for an Ultralight or NTAG, with the tag's
/// identification in `Card` and its pages in `blocks`. The file of a tag that was not read
/// completely has fewer blocks.
enum ProxmarkDump {
    private static let fileType = "mfu"
    private static let counterLength = 3
    private static let byteBits = 8

    static func parsing(_ text: String) throws(Type2Error) -> TagDump {
        let file: JSONValue
        do {
            file = try JSONValue.parsing(Array(text.utf8))
        } catch {
            // A page that is given twice has to cause the same kind of error in every format.
            let kind: Type2Error.Kind = error.kind == .duplicateKey ? .duplicateField : .badSyntax
            throw Type2Error(kind, error.detail)
        }
        guard file["FileType"] == .string(fileType) else {
            throw Type2Error(.unknownVersion, "FileType is not \"\(fileType)\"")
        }
        guard let card = file["Card"], card.members != nil else {
            throw Type2Error(.missingField, "the member Card is missing")
        }
        guard let version = try bytes(card, "Version", Type2Chip.ntag213.version?.count ?? 0),
            let chip = Type2Chip(version: version)
        else {
            throw Type2Error(.unknownChip, "Card.Version is missing or matches no supported chip")
        }
        guard let uid = try bytes(card, "UID", TagMemory.uidLength) else {
            throw Type2Error(.missingField, "the member Card.UID is missing")
        }
        let signature = try bytes(card, "Signature", TagMemory.signatureLength)
        let counter = try bytes(card, "Counter\(LinearDump.counterNumber)", counterLength)
        return try LinearDump(
            chip: chip, uid: uid,
            signature: signature ?? [UInt8](repeating: 0, count: TagMemory.signatureLength),
            // Least significant byte first, as sent by the chip.
            counter: (counter ?? []).reversed().reduce(0) { $0 << byteBits | UInt32($1) },
            failedPasswords: 0, pages: try pages(file["blocks"], of: chip)
        ).dump()
    }

    private static func pages(
        _ blocks: JSONValue?, of chip: Type2Chip
    ) throws(Type2Error) -> [Page] {
        guard let blocks, let members = blocks.members, !members.isEmpty else {
            throw Type2Error(.missingPage, "the file contains no blocks")
        }
        let names = Set((0..<chip.pageCount).map { "\($0)" })
        if let excess = members.first(where: { !names.contains($0.key) }) {
            throw Type2Error(
                .excessPage,
                "\(chip.name) has blocks 0 to \(chip.pageCount - 1), but no block "
                    + TagDump.shown(excess.key))
        }
        var pages: [Page] = []
        // Blocks must be numbered without gaps, but the file may list them in any order.
        for number in members.indices {
            guard let bytes = try bytes(blocks, "\(number)", Page.size, in: "blocks"),
                let page = Page(bytes)
            else { throw Type2Error(.missingPage, "block \(number) is missing") }
            pages.append(page)
        }
        return pages
    }

    /// The bytes of a member; `nil` if it does not exist.
    private static func bytes(
        _ object: JSONValue, _ name: String, _ count: Int, in path: String = "Card"
    ) throws(Type2Error) -> [UInt8]? {
        guard let value = object[name] else { return nil }
        guard let bytes = value.string.flatMap({ Hexadecimal.decode($0) }), bytes.count == count
        else {
            throw Type2Error(.badValue, "\(path).\(name) is not \(2 * count) hexadecimal digits")
        }
        return bytes
    }
}

extension ProxmarkDump {
    static func text(of dump: TagDump) throws(Type2Error) -> String {
        let linear = try LinearDump(dump)
        // The format has no field for this count.
        guard linear.failedPasswords == 0 else {
            throw Type2Error(.inexpressible, "\(linear.failedPasswords) wrong passwords")
        }
        guard !linear.pages.isEmpty else {
            throw Type2Error(.inexpressible, "that no page could be read")
        }
        func member(_ key: String, _ bytes: [UInt8]) -> JSONMember {
            JSONMember(key: key, value: .string(Hexadecimal.encode(bytes)))
        }
        var card = [
            member("UID", linear.uid), member("Version", linear.chip.version ?? []),
            // The content of the Ultralight's test blocks, which an NTAG does not have.
            member("TBO_0", [0, 0]), member("TBO_1", [0]), member("Signature", linear.signature),
        ]
        for number in LinearDump.counterNumbers {
            let value = number == LinearDump.counterNumber ? linear.counter : 0
            let bytes = (0..<counterLength).map {
                UInt8(truncatingIfNeeded: value >> (byteBits * $0))
            }
            card += [member("Counter\(number)", bytes), member("Tearing\(number)", [0])]
        }
        let blocks = linear.pages.enumerated().map { member("\($0)", $1.bytes) }
        let file: JSONValue = [
            "Created": "tapcard", "FileType": .string(fileType), "Card": .object(card),
            "blocks": .object(blocks),
        ]
        return file.prettyText + "\n"
    }
}
