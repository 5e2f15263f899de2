/// ESC/POS, the language of receipt printers.
package enum EscPos {
    private static let escape: UInt8 = 0x1B
    private static let group: UInt8 = 0x1D
    /// The state after power-on, and single-byte characters; some printers start with Chinese ones.
    private static let start: [UInt8] = [escape, 0x40, 0x1C, 0x2E]
    /// Opens the drawer with a pulse of 50 ms.
    private static let openDrawer: [UInt8] = [escape, 0x70, 0, 25, 250]
    /// Feeds the paper past the blade, then cuts it, except for one point.
    private static let cut: [UInt8] = [escape, 0x64, 2, group, 0x56, 66, 0]
    private static let lineEnd: UInt8 = 0x0A

    private static func strong(_ isOn: Bool) -> [UInt8] { [escape, 0x45, isOn ? 1 : 0] }

    /// A receipt as the printer's commands.
    package static func bytes(_ receipt: PrintedReceipt, opensDrawer: Bool) -> [UInt8] {
        var bytes = start + (opensDrawer ? openDrawer : [])
        var page: CodePage?
        for line in receipt.lines(spelled: spelled) {
            if line.isStrong { bytes += strong(true) }
            append(line.text, to: &bytes, &page)
            if line.isStrong { bytes += strong(false) }
            bytes.append(lineEnd)
        }
        return bytes + cut
    }

    /// The text with characters that the printer lacks spelled in ASCII.
    package static func spelled(_ text: String) -> String {
        String(
            text.flatMap { character in
                character.unicodeScalars.allSatisfy(isPrintable)
                    ? String(character) : String(character).ascii.filter { isPrintable($0) }
            })
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy(isPrintable)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        (0x20...0x7E).contains(scalar.value) || CodePage.all.contains { $0.byte(of: scalar) != nil }
    }

    /// Appends printable text. No other byte gets through, so no name can contain a command.
    private static func append(_ text: String, to bytes: inout [UInt8], _ page: inout CodePage?) {
        for scalar in text.unicodeScalars {
            if (0x20...0x7E).contains(scalar.value) {
                bytes.append(UInt8(scalar.value))
                continue
            }
            let pages = [page].compactMap(\.self) + CodePage.all
            guard let found = pages.first(where: { $0.byte(of: scalar) != nil }),
                let byte = found.byte(of: scalar)
            else { continue }
            if found.number != page?.number {
                bytes += [escape, 0x74, found.number]
                page = found
            }
            bytes.append(byte)
        }
    }
}

/// A table of the characters for the bytes from 128. Printers know it by its number.
private struct CodePage: Sendable {
    let number: UInt8
    private let bytes: [Unicode.Scalar: UInt8]

    private init(_ number: UInt8, _ characters: String) {
        self.number = number
        let pairs = zip(characters.unicodeScalars, 0x80...0xFF as ClosedRange<UInt8>)
        bytes = Dictionary(uniqueKeysWithValues: pairs.map { ($0, $1) })
    }

    func byte(of scalar: Unicode.Scalar) -> UInt8? { bytes[scalar] }

    /// Western and Central European characters. Both pages have the umlauts; the first has the euro
    /// sign.
    static let all = [
        CodePage(
            19,
            "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
                + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"),
        CodePage(
            18,
            "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐"
                + "└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}"),
    ]
}
