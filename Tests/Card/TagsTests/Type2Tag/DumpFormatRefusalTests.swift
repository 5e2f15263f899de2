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
            "line 1: not a file of the type of a tag"),
        Case(
            .unknownVersion, "\nVersion: 4", "\nVersion: 1",
            "not of the versions 2 to 4 of a Flipper's file"),
        Case(
            .unknownVersion, "\nVersion: 4\n", "\n",
            "not of the versions 2 to 4 of a Flipper's file"),
        Case(
            .badValue, "\nVersion: 4", "\nVersion: four",
            "line 2: \"four\" is no number from 0 to 4294967295"),
        Case(
            .unknownChip, "Device type: NTAG/Ultralight", "Device type: Mifare Classic",
            "line 4: tapcard does not know \"Mifare Classic\""),
        Case(
            .unknownChip, "type: NTAG213", "type: NTAG I2C 1K",
            "line 11: tapcard does not know \"NTAG I2C 1K\""),
        Case(
            .unknownChip, "type: NTAG213", "type: \u{1B}[31m\u{202E}",
            #"line 11: tapcard does not know "\u{1B}[31m\u{202E}""#),
        Case(
            .missingField, "NTAG/Ultralight type: NTAG213\n", "",
            "there is no NTAG/Ultralight type"),
        Case(.missingField, "Device type: NTAG/Ultralight\n", "", "there is no Device type"),
        Case(.missingField, "UID: 04 AC 6B 72 BA 6C 80\n", "", "there is no UID"),
        Case(
            .badValue, "UID: 04 AC 6B 72 BA 6C 80", "UID: 04 AC 6B 72",
            "line 6: not 7 bytes of two hexadecimal digits"),
        Case(
            .badValue, "UID: 04 AC 6B", "UID: 04 AC 6G",
            "line 6: not 7 bytes of two hexadecimal digits"),
        Case(
            .contradiction, "UID: 04 AC 6B 72 BA 6C 80", "UID: 04 AC 6B 72 BA 6C 81",
            "pages 0 to 2 are not of the UID 04AC6B72BA6C81"),
        Case(.contradiction, "ATQA: 00 44", "ATQA: 00 04", "line 7: not the ATQA of NTAG213"),
        Case(.contradiction, "SAK: 00", "SAK: 08", "line 8: not the SAK of NTAG213"),
        Case(
            .contradiction, "Mifare version: 00 04 04 02 01 00 0F 03",
            "Mifare version: 00 04 04 02 01 00 11 03",
            "line 13: this is not the version of NTAG213"),
        Case(
            .badValue, "Signature: 2D", "Signature:  2D",
            "line 12: not 32 bytes of two hexadecimal digits"),
        Case(
            .badValue, "Counter 2: 0", "Counter 2: 16777216",
            "line 18: \"16777216\" is no number from 0 to 16777215"),
        Case(
            .badValue, "Tearing 2: 00", "Tearing 2: 0",
            "line 19: not 1 bytes of two hexadecimal digits"),
        Case(
            .duplicateField, "SAK: 00\n", "SAK: 00\nSAK: 00\n",
            "line 9: \"SAK\" was there before"),
        Case(
            .unknownLine, "SAK: 00\n", "SAK: 00\nSAK\n",
            "line 9: neither a field nor a comment"),
    ]

    static let flipperPages = [
        Case(
            .missingPage, "Pages total: 45", "Pages total: 44", "44 pages, but NTAG213 has 45"),
        Case(
            .excessPage, "Pages total: 45", "Pages total: 4294967295",
            "4294967295 pages, but NTAG213 has 45"),
        Case(.missingField, "Pages total: 45\n", "", "there is no Pages total"),
        Case(
            .badValue, "Pages read: 45", "Pages read: 46",
            "line 21: \"46\" is no number from 0 to 45"),
        Case(
            .badValue, "Pages read: 45", "Pages read: -1",
            "line 21: \"-1\" is no number from 0 to 45"),
        Case(.missingPage, "Page 7: 61 6C 61 6E\n", "", "there is no Page 7"),
        Case(
            .duplicateField, "Page 8: ", "Page 7: ", "line 30: \"Page 7\" was there before"),
        Case(.excessPage, "Page 7: ", "Page 07: ", "line 29: NTAG213 has no \"Page 07\""),
        Case(
            .excessPage, "Failed", "Page 45: 00 00 00 00\nFailed",
            "line 67: NTAG213 has no \"Page 45\""),
        Case(
            .badValue, "61 6C 61 6E", "61 6C 61",
            "line 29: not 4 bytes of two hexadecimal digits"),
        Case(
            .badValue, "61 6C 61 6E", "?? ?? ?? ??",
            "line 29: not 4 bytes of two hexadecimal digits"),
        Case(
            .badValue, "61 6C 61 6E", "616C616E",
            "line 29: not 4 bytes of two hexadecimal digits"),
        Case(
            .contradiction, "Page 0: 04 AC 6B 4B", "Page 0: 04 AC 6B 4C",
            "pages 0 to 2 are not of the UID 04AC6B72BA6C80"),
        Case(
            .contradiction, "Page 2: 24", "Page 2: 25",
            "pages 0 to 2 are not of the UID 04AC6B72BA6C80"),
        Case(
            .badValue, "attempts: 0", "attempts: 4294967296",
            "line 67: \"4294967296\" is no number from 0 to 4294967295"),
    ]

    static let proxmark = [
        Case(.unknownVersion, #""mfu""#, #""mfc v2""#, "its FileType is not \"mfu\""),
        Case(.unknownVersion, #""FileType": "mfu","#, "", "its FileType is not \"mfu\""),
        Case(.missingField, #""Card": {"#, #""Cards": {"#, "there is no Card"),
        Case(
            .unknownChip, "0004040201000F03", "0004040201010F03",
            "Card.Version is not that of a chip tapcard knows"),
        Case(
            .unknownChip, #""Version": "0004040201000F03","#, "",
            "Card.Version is not that of a chip tapcard knows"),
        Case(
            .badValue, "0004040201000F03", "0004040201000F",
            "Card.Version is not 16 hexadecimal digits"),
        Case(.missingField, #""UID": "04AC6B72BA6C80","#, "", "there is no Card.UID"),
        Case(
            .badValue, "04AC6B72BA6C80", "04AC6B72BA6C8",
            "Card.UID is not 14 hexadecimal digits"),
        Case(
            .contradiction, "04AC6B72BA6C80", "04AC6B72BA6C81",
            "pages 0 to 2 are not of the UID 04AC6B72BA6C81"),
        Case(.badValue, "2DAEBC", "2DAEB", "Card.Signature is not 64 hexadecimal digits"),
        Case(
            .badValue, #""Counter2": "000000""#, #""Counter2": 0"#,
            "Card.Counter2 is not 6 hexadecimal digits"),
        Case(.missingPage, #""blocks": {"#, #""block": {"#, "there are no blocks"),
        Case(.missingPage, #""7": "616C616E","#, "", "there is no block 7"),
        Case(
            .badValue, "616C616E", "616C61", "blocks.7 is not 8 hexadecimal digits"),
        Case(
            .badValue, "616C616E", "616C61GE", "blocks.7 is not 8 hexadecimal digits"),
        Case(
            .excessPage, #""7": "#, #""07": "#,
            "NTAG213 has no block \"07\", but those from 0 to 44"),
        Case(
            .excessPage, #""44": "#, #""45": "00000000", "44": "#,
            "NTAG213 has no block \"45\", but those from 0 to 44"),
        Case(
            .duplicateField, #""8": "#, #""7": "#,
            "a second member of the same name at byte 584"),
        Case(
            .contradiction, "04AC6B4B", "04AC6B4C",
            "pages 0 to 2 are not of the UID 04AC6B72BA6C80"),
        Case(
            .badSyntax, #""mfu","#, #""mfu""#,
            "22h where a comma or the end of the object should "
                + "be at byte 50"),
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
