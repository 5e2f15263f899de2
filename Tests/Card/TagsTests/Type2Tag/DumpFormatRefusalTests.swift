import Tags
import Testing

@Suite("Refused dumps of a Flipper or Proxmark3") struct DumpFormatRefusalTests {
    /// A change to a dump of another program, and the reason for which it is then refused.
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: Type2Error.Kind
        let old: String
        let new: String
        let words: String

        init(_ kind: Type2Error.Kind, _ old: String, _ new: String, _ words: String) {
            self.kind = kind
            self.old = old
            self.new = new
            self.words = words
        }

        var testDescription: String { "\(kind): \(new)" }
    }

    static let flipperHeads = [
        Case(
            .unknownVersion, "Flipper NFC device", "Flipper SubGhz RAW File",
            "line 1: the file type is not that of a tag"),
        Case(
            .unknownVersion, "\nVersion: 4", "\nVersion: 1",
            "the Flipper file version must be 2 to 4"),
        Case(
            .unknownVersion, "\nVersion: 4\n", "\n",
            "the Flipper file version must be 2 to 4"),
        Case(
            .badValue, "\nVersion: 4", "\nVersion: four",
            "line 2: \"four\" is not a number from 0 to 4294967295"),
        Case(
            .unknownChip, "Device type: NTAG/Ultralight", "Device type: Mifare Classic",
            "line 4: tapcard does not support \"Mifare Classic\""),
        Case(
            .unknownChip, "type: NTAG213", "type: NTAG I2C 1K",
            "line 11: tapcard does not support \"NTAG I2C 1K\""),
        Case(
            .unknownChip, "type: NTAG213", "type: \u{1B}[31m\u{202E}",
            #"line 11: tapcard does not support "\u{1B}[31m\u{202E}""#),
        Case(
            .missingField, "NTAG/Ultralight type: NTAG213\n", "",
            "the field \"NTAG/Ultralight type\" is missing"),
        Case(
            .missingField, "Device type: NTAG/Ultralight\n", "",
            "the field \"Device type\" is missing"),
        Case(.missingField, "UID: 04 AC 6B 72 BA 6C 80\n", "", "the UID is missing"),
        Case(
            .badValue, "UID: 04 AC 6B 72 BA 6C 80", "UID: 04 AC 6B 72",
            "line 6: the value must be 7 hexadecimal bytes of two digits each"),
        Case(
            .badValue, "UID: 04 AC 6B", "UID: 04 AC 6G",
            "line 6: the value must be 7 hexadecimal bytes of two digits each"),
        Case(
            .contradiction, "UID: 04 AC 6B 72 BA 6C 80", "UID: 04 AC 6B 72 BA 6C 81",
            "pages 0 to 2 do not match the UID 04AC6B72BA6C81"),
        Case(.contradiction, "ATQA: 00 44", "ATQA: 00 04", "line 7: ATQA does not match NTAG213"),
        Case(.contradiction, "SAK: 00", "SAK: 08", "line 8: SAK does not match NTAG213"),
        Case(
            .contradiction, "Mifare version: 00 04 04 02 01 00 0F 03",
            "Mifare version: 00 04 04 02 01 00 11 03",
            "line 13: the version bytes do not match the chip NTAG213"),
        Case(
            .badValue, "Signature: 2D", "Signature:  2D",
            "line 12: the value must be 32 hexadecimal bytes of two digits each"),
        Case(
            .badValue, "Counter 2: 0", "Counter 2: 16777216",
            "line 18: \"16777216\" is not a number from 0 to 16777215"),
        Case(
            .badValue, "Tearing 2: 00", "Tearing 2: 0",
            "line 19: the value must be 1 hexadecimal byte of two digits"),
        Case(
            .duplicateField, "SAK: 00\n", "SAK: 00\nSAK: 00\n",
            "line 9: \"SAK\" is given twice"),
        Case(
            .unknownLine, "SAK: 00\n", "SAK: 00\nSAK\n",
            "line 9: this is neither a field nor a comment"),
    ]

    static let flipperPages = [
        Case(
            .missingPage, "Pages total: 45", "Pages total: 44", "44 pages, but NTAG213 has 45"),
        Case(
            .excessPage, "Pages total: 45", "Pages total: 4294967295",
            "4294967295 pages, but NTAG213 has 45"),
        Case(.missingField, "Pages total: 45\n", "", "the field \"Pages total\" is missing"),
        Case(
            .badValue, "Pages read: 45", "Pages read: 46",
            "line 21: \"46\" is not a number from 0 to 45"),
        Case(
            .badValue, "Pages read: 45", "Pages read: -1",
            "line 21: \"-1\" is not a number from 0 to 45"),
        Case(.missingPage, "Page 7: 61 6C 61 6E\n", "", "Page 7 is missing"),
        Case(
            .duplicateField, "Page 8: ", "Page 7: ", "line 30: \"Page 7\" is given twice"),
        Case(.excessPage, "Page 7: ", "Page 07: ", "line 29: NTAG213 has no \"Page 07\""),
        Case(
            .excessPage, "Failed", "Page 45: 00 00 00 00\nFailed",
            "line 67: NTAG213 has no \"Page 45\""),
        Case(
            .badValue, "61 6C 61 6E", "61 6C 61",
            "line 29: the value must be 4 hexadecimal bytes of two digits each"),
        Case(
            .badValue, "61 6C 61 6E", "?? ?? ?? ??",
            "line 29: the value must be 4 hexadecimal bytes of two digits each"),
        Case(
            .badValue, "61 6C 61 6E", "616C616E",
            "line 29: the value must be 4 hexadecimal bytes of two digits each"),
        Case(
            .contradiction, "Page 0: 04 AC 6B 4B", "Page 0: 04 AC 6B 4C",
            "pages 0 to 2 do not match the UID 04AC6B72BA6C80"),
        Case(
            .contradiction, "Page 2: 24", "Page 2: 25",
            "pages 0 to 2 do not match the UID 04AC6B72BA6C80"),
        Case(
            .badValue, "attempts: 0", "attempts: 4294967296",
            "line 67: \"4294967296\" is not a number from 0 to 4294967295"),
    ]

    static let proxmark = [
        Case(.unknownVersion, #""mfu""#, #""mfc v2""#, "FileType is not \"mfu\""),
        Case(.unknownVersion, #""FileType": "mfu","#, "", "FileType is not \"mfu\""),
        Case(.missingField, #""Card": {"#, #""Cards": {"#, "the member Card is missing"),
        Case(
            .unknownChip, "0004040201000F03", "0004040201010F03",
            "Card.Version is missing or matches no supported chip"),
        Case(
            .unknownChip, #""Version": "0004040201000F03","#, "",
            "Card.Version is missing or matches no supported chip"),
        Case(
            .badValue, "0004040201000F03", "0004040201000F",
            "Card.Version is not 16 hexadecimal digits"),
        Case(.missingField, #""UID": "04AC6B72BA6C80","#, "", "the member Card.UID is missing"),
        Case(
            .badValue, "04AC6B72BA6C80", "04AC6B72BA6C8",
            "Card.UID is not 14 hexadecimal digits"),
        Case(
            .contradiction, "04AC6B72BA6C80", "04AC6B72BA6C81",
            "pages 0 to 2 do not match the UID 04AC6B72BA6C81"),
        Case(.badValue, "2DAEBC", "2DAEB", "Card.Signature is not 64 hexadecimal digits"),
        Case(
            .badValue, #""Counter2": "000000""#, #""Counter2": 0"#,
            "Card.Counter2 is not 6 hexadecimal digits"),
        Case(.missingPage, #""blocks": {"#, #""block": {"#, "the file contains no blocks"),
        Case(.missingPage, #""7": "616C616E","#, "", "block 7 is missing"),
        Case(
            .badValue, "616C616E", "616C61", "blocks.7 is not 8 hexadecimal digits"),
        Case(
            .badValue, "616C616E", "616C61GE", "blocks.7 is not 8 hexadecimal digits"),
        Case(
            .excessPage, #""7": "#, #""07": "#,
            "NTAG213 has blocks 0 to 44, but no block \"07\""),
        Case(
            .excessPage, #""44": "#, #""45": "00000000", "44": "#,
            "NTAG213 has blocks 0 to 44, but no block \"45\""),
        Case(
            .duplicateField, #""8": "#, #""7": "#,
            "a member name used twice at byte 584"),
        Case(
            .contradiction, "04AC6B4B", "04AC6B4C",
            "pages 0 to 2 do not match the UID 04AC6B72BA6C80"),
        Case(
            .badSyntax, #""mfu","#, #""mfu""#,
            "byte 22h where a comma or the end of the object was expected at byte 50"),
    ]

    private func check(_ change: Case, _ file: String) throws {
        let text = try fixture(file)
        let parts = text.split(separator: change.old, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "the change has to be one")
        let changed = Array(parts.joined(separator: change.new).utf8)
        let error = #expect(throws: Type2Error(change.kind)) { try TagDump.reading(changed) }
        #expect(error?.detail == change.words)
    }

    @Test(
        "A damaged Flipper file is refused with the reason", arguments: flipperHeads + flipperPages)
    func ofAFlipper(_ change: Case) throws {
        try check(change, "flipper-ntag213.nfc")
    }

    @Test("A damaged Proxmark3 file is refused with the reason", arguments: proxmark)
    func ofAProxmark(_ change: Case) throws {
        try check(change, "proxmark-ntag213.json")
    }
}
