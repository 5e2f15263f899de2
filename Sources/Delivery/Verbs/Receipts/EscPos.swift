/// Converts receipts to commands for ESC/POS printers.
package enum EscPos {
    private static let escape: UInt8 = 0x1B
    private static let group: UInt8 = 0x1D
    /// Resets the printer, and turns off two-byte characters.
    private static let start: [UInt8] = [escape, 0x40, 0x1C, 0x2E]
    /// Opens the drawer that is connected to the printer.
    private static let openDrawer: [UInt8] = [escape, 0x70, 0, 25, 250]
    /// Feeds the paper, and cuts it.
    private static let cut: [UInt8] = [escape, 0x64, 2, group, 0x56, 66, 0]
    private static let lineEnd: UInt8 = 0x0A

    private static func strong(_ isOn: Bool) -> [UInt8] { [escape, 0x45, isOn ? 1 : 0] }

    /// The commands that print a receipt and cut the paper. If `opensDrawer` is true, the drawer is
    /// opened first.
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

    /// The text with characters that the printer cannot print replaced by ASCII.
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

    /// Appends the text's bytes. Switches the code page only if the current one lacks a character.
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

/// A character set of the printer, which assigns characters to the bytes from 0x80.
private struct CodePage: Sendable {
    /// The number that selects the code page on the printer.
    let number: UInt8
    private let bytes: [Unicode.Scalar: UInt8]

    /// Creates a code page from its 128 characters for the bytes from 0x80.
    private init(_ number: UInt8, _ characters: String) {
        self.number = number
        let pairs = zip(characters.unicodeScalars, 0x80...0xFF as ClosedRange<UInt8>)
        bytes = Dictionary(uniqueKeysWithValues: pairs.map { ($0, $1) })
    }

    /// The byte for a character; nil if the code page lacks it.
    func byte(of scalar: Unicode.Scalar) -> UInt8? { bytes[scalar] }

    /// The code pages 858 (Western Europe) and 852 (Central Europe), in order of preference.
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
