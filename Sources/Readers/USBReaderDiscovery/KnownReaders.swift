public import ReaderDiagnosis

/// The models of reader that tapcard knows, by vendor and product.
public enum KnownReaders {
    /// The model with these numbers.
    public static func model(vendor: UInt16, product: UInt16) -> ReaderModel? {
        all.first { $0.vendor == vendor && $0.product == product }
    }

    public static let all = libnfc + smartCard + bridges + unsupported

    /// The readers that libnfc 1.8 drives over USB.
    static let libnfc: [ReaderModel] = [
        // pcscd supports the first two as well, under these names.
        ReaderModel(
            0x072F, 0x2200, "ACS ACR122U", .libnfc("acr122_usb"), smartCardWord: "ACR122U"),
        ReaderModel(
            0x072F, 0x90CC, "ACS ACR122U (Touchatag)", .libnfc("acr122_usb"),
            smartCardWord: "ACR 38U-CCID"),
        ReaderModel(0x072F, 0x2214, "ACS ACR1222", .libnfc("acr122_usb")),
        ReaderModel(0x04CC, 0x0531, "Philips PN531", .libnfc("pn53x_usb")),
        ReaderModel(0x04CC, 0x2533, "NXP PN533", .libnfc("pn53x_usb")),
        ReaderModel(0x04E6, 0x5591, "SCM SCL3711", .libnfc("pn53x_usb")),
        ReaderModel(0x04E6, 0x5594, "SCM SCL3712", .libnfc("pn53x_usb")),
        ReaderModel(0x054C, 0x0193, "Sony PN531", .libnfc("pn53x_usb")),
        ReaderModel(0x054C, 0x02E1, "Sony RC-S330, RC-S360 or RC-S370", .libnfc("pn53x_usb")),
        ReaderModel(0x1FD3, 0x0608, "ASK LoGO", .libnfc("pn53x_usb")),
    ]

    /// Contactless readers with the CCID protocol, by their names in libccid.
    static let smartCard: [ReaderModel] = [
        ReaderModel(0x072F, 0x221A, "ACS ACR1251U", .smartCard(word: "ACR1251")),
        ReaderModel(0x072F, 0x2224, "ACS ACR1281U", .smartCard(word: "ACR1281")),
        ReaderModel(0x072F, 0x223B, "ACS ACR1252U", .smartCard(word: "ACR1252")),
        ReaderModel(0x072F, 0x223E, "ACS ACR1252U", .smartCard(word: "ACR1252")),
        ReaderModel(0x072F, 0x2259, "ACS ACR1252 module", .smartCard(word: "ACR1252IMP")),
        ReaderModel(0x072F, 0x223F, "ACS ACR1255U-J1", .smartCard(word: "ACR1255")),
        ReaderModel(0x04E6, 0x5790, "Identiv uTrust 3700 F", .smartCard(word: "uTrust 3700 F")),
        ReaderModel(0x04E6, 0x5791, "Identiv uTrust 3701 F", .smartCard(word: "uTrust 3701 F")),
        ReaderModel(0x04E6, 0x5612, "Identiv uTrust 3720", .smartCard(word: "uTrust 3720")),
        ReaderModel(0x04E6, 0x5613, "Identiv uTrust 3721", .smartCard(word: "uTrust 3721")),
        ReaderModel(0x04E6, 0x5724, "Identiv uTrust 4701 F", .smartCard(word: "uTrust 4701 F")),
        ReaderModel(0x04E6, 0x5725, "Identiv uTrust 4711 F", .smartCard(word: "uTrust 4711 F")),
        ReaderModel(0x04E6, 0x5720, "Identive CLOUD 4500 F", .smartCard(word: "CLOUD 4500 F")),
        ReaderModel(0x04E6, 0x5721, "Identive CLOUD 4510 F", .smartCard(word: "CLOUD 4510 F")),
        ReaderModel(0x04E6, 0x512B, "SCM SDI011", .smartCard(word: "SDI011")),
        ReaderModel(0x04E6, 0x512C, "SCM SDI011", .smartCard(word: "SDI011")),
        ReaderModel(0x04E6, 0x5291, "SCM SCL010", .smartCard(word: "SCL010")),
        ReaderModel(0x04E6, 0x5293, "SCM SCL01x", .smartCard(word: "SCL01x")),
        ReaderModel(0x076B, 0x5022, "HID OMNIKEY 5022", .smartCard(word: "OMNIKEY 5022")),
        ReaderModel(0x076B, 0x5023, "HID OMNIKEY 5023", .smartCard(word: "OMNIKEY 5023")),
        ReaderModel(0x076B, 0x5422, "HID OMNIKEY 5422", .smartCard(word: "OMNIKEY 5422")),
        ReaderModel(0x076B, 0x5127, "HID OMNIKEY 5127 CK", .smartCard(word: "OMNIKEY 5127")),
        ReaderModel(0x076B, 0x5427, "HID OMNIKEY 5427 CK", .smartCard(word: "OMNIKEY 5427")),
        ReaderModel(0x076B, 0x5421, "HID OMNIKEY 5421", .smartCard(word: "OMNIKEY 5421")),
        ReaderModel(0x076B, 0x5321, "HID OMNIKEY 5321", .smartCard(word: "CardMan 5321")),
        ReaderModel(0x1FC9, 0x0107, "NXP Pegoda 2", .smartCard(word: "Pegoda 2")),
        ReaderModel(0x1FC9, 0x010B, "NXP PR533", .smartCard(word: "PR533")),
        ReaderModel(0x1FC9, 0x0117, "NXP PN7462AU", .smartCard(word: "PN7462AU")),
        ReaderModel(0x054C, 0x0DC8, "Sony RC-S300/S", .smartCard(word: "RC-S300/S")),
        ReaderModel(0x054C, 0x0DC9, "Sony RC-S300/P", .smartCard(word: "RC-S300/P")),
        ReaderModel(0x054C, 0x0D8F, "Sony RC-S660/U", .smartCard(word: "RC-S660/U")),
        ReaderModel(0x09D8, 0x0427, "Elatec TWN4", .smartCard(word: "TWN4")),
        ReaderModel(0x09D8, 0x0428, "Elatec TWN4", .smartCard(word: "TWN4")),
        ReaderModel(0x1DB2, 0x088B, "DUALi DRAGON", .smartCard(word: "DRAGON NFC")),
        ReaderModel(0x1C34, 0x7141, "SpringCard Prox'N'Roll", .smartCard(word: "Prox'N'Roll")),
        ReaderModel(0x1C34, 0x8141, "SpringCard NFC'Roll", .smartCard(word: "NFC'Roll")),
        ReaderModel(0x1C34, 0x6132, "SpringCard Puck", .smartCard(word: "Puck")),
        ReaderModel(0x1C34, 0x613A, "SpringCard Puck", .smartCard(word: "Puck")),
    ]

    /// Serial bridges of PN532 boards, which many other devices use too.
    static let bridges: [ReaderModel] = [
        ReaderModel(0x0403, 0x6001, "FTDI serial bridge", .serialBridge),
        ReaderModel(0x10C4, 0xEA60, "CP210x serial bridge", .serialBridge),
        ReaderModel(0x1A86, 0x7523, "CH340 serial bridge", .serialBridge),
        ReaderModel(0x067B, 0x2303, "PL2303 serial bridge", .serialBridge),
    ]

    /// NFC devices that users try but tapcard does not support.
    static let unsupported: [ReaderModel] = [
        ReaderModel(0x054C, 0x06C1, "Sony RC-S380/S", .unsupported(port100)),
        ReaderModel(0x054C, 0x06C3, "Sony RC-S380/P", .unsupported(port100)),
        ReaderModel(0x054C, 0x01BB, "Sony RC-S320", .unsupported(felicaOnly)),
    ]

    private static let port100 =
        "Neither libnfc nor pcscd has a driver for it; nfcpy has one. For tapcard use an ACR122U, "
        + "a PN532 board, or a contactless CCID reader such as the ACR1252U."
    private static let felicaOnly =
        "It reads FeliCa cards only, and an NTAG is none. Use an ACR122U, a PN532 board, or a "
        + "contactless CCID reader such as the ACR1252U."
}
