/// The reader models that tapcard recognizes.
public enum KnownReaders {
    /// The model with these vendor and product IDs.
    public static func model(vendor: UInt16, product: UInt16) -> ReaderModel? {
        all.first { $0.vendor == vendor && $0.product == product }
    }

    public static let all = libnfc + smartCard + bridges + unsupported

    /// The readers that libnfc 1.8 drives over USB.
    static let libnfc: [ReaderModel] = [
        // pcscd also supports the first three models, under these names.
        ReaderModel(
            0x072F, 0x2200, "ACS ACR122U", .libnfc("acr122_usb"), smartCardWord: "ACR122U"),
        ReaderModel(
            0x072F, 0x90CC, "ACS ACR122U (Touchatag)", .libnfc("acr122_usb"),
            smartCardWord: "38U-CCID"),
        ReaderModel(0x072F, 0x2214, "ACS ACR1222", .libnfc("acr122_usb"), smartCardWord: "ACR1222"),
        ReaderModel(0x04CC, 0x0531, "Philips PN531", .libnfc("pn53x_usb")),
        ReaderModel(0x04CC, 0x2533, "NXP PN533", .libnfc("pn53x_usb")),
        ReaderModel(0x04E6, 0x5591, "SCM SCL3711", .libnfc("pn53x_usb")),
        ReaderModel(0x04E6, 0x5594, "SCM SCL3712", .libnfc("pn53x_usb")),
        ReaderModel(0x054C, 0x0193, "Sony PN531", .libnfc("pn53x_usb")),
        ReaderModel(0x054C, 0x02E1, "Sony RC-S330, RC-S360, or RC-S370", .libnfc("pn53x_usb")),
        ReaderModel(0x1FD3, 0x0608, "ASK LoGO", .libnfc("pn53x_usb")),
    ]

    /// Contactless readers that use the CCID protocol, with their names in libccid and acsccid.
    static let smartCard: [ReaderModel] = families.flatMap(\.self)

    private static let families: [[ReaderModel]] = [
        family(0x072F, [0x1280, 0x2206, 0x2207, 0x222B], "ACS ACR1222", "ACR1222"),
        family(0x072F, [0x222D], "ACS ACR122U", "ACR122U"),
        family(0x072F, [0x222E, 0x2237], "ACS ACR123U", "ACR123"),
        family(0x072F, [0x2203], "ACS ACR125", "ACR125"),
        family(
            0x072F,
            [
                0x221A, 0x2218, 0x221B, 0x2229, 0x2232, 0x2238, 0x2242, 0x224F, 0x225F,
            ], "ACS ACR1251U", "ACR1251"),
        family(0x072F, [0x2259], "ACS ACR1252 module", "ACR1252IMP"),
        family(0x072F, [0x223B, 0x223E, 0x2244, 0x225B], "ACS ACR1252U", "ACR1252"),
        family(0x072F, [0x223F], "ACS ACR1255U-J1", "ACR1255"),
        family(0x072F, [0x2239], "ACS ACR1256U", "ACR1256"),
        family(0x072F, [0x2211, 0x2252], "ACS ACR1261U", "ACR1261"),
        family(
            0x072F,
            [
                0x2224, 0x0901, 0x2208, 0x220A, 0x220F, 0x2215, 0x2217, 0x2220, 0x2223, 0x2233,
                0x2234, 0x2235, 0x2236,
            ], "ACS ACR1281U", "ACR1281"),
        family(0x072F, [0x2213, 0x222C], "ACS ACR1283", "ACR1283"),
        family(0x072F, [0x2100], "ACS ACR128U", "ACR128U"),
        family(0x072F, [0x2258], "ACS ACR1311U", "ACR1311"),
        family(0x072F, [0x2303, 0x2308], "ACS ACR1552U", "ACR1552"),
        family(0x072F, [0x230A], "ACS ACR1555U", "ACR1555"),
        family(0x072F, [0x2301], "ACS ACR1581U", "ACR1581"),
        family(0x072F, [0x8901], "ACS ACR89", "ACR89"),
        family(0x072F, [0x0102, 0x0103], "ACS AET62", "AET62"),
        family(0x072F, [0x230B], "ACS AIR60", "AIR60"),
        family(0x072F, [0x224A], "ACS AMR220", "AMR220"),
        family(0x072F, [0x226B], "ACS WalletMate", "WalletMate"),
        family(0x072F, [0x2307, 0x2401], "ACS WalletMate II", "WalletMate II"),
        family(0x04E6, [0x5710], "Identiv CLOUD 2700 F", "CLOUD 2700 F"),
        family(0x04E6, [0x5810], "Identiv CLOUD 2700 R", "CLOUD 2700 R"),
        family(0x04E6, [0x5713], "Identiv CLOUD 2980 F", "CLOUD 2980 F"),
        family(0x04E6, [0x5723], "Identiv CLOUD 4000 F", "CLOUD 4000 F"),
        family(0x04E6, [0x5790], "Identiv uTrust 3700 F", "uTrust 3700 F"),
        family(0x04E6, [0x5791], "Identiv uTrust 3701 F", "uTrust 3701 F"),
        family(0x04E6, [0x5612], "Identiv uTrust 3720", "uTrust 3720"),
        family(0x04E6, [0x5613], "Identiv uTrust 3721", "uTrust 3721"),
        family(0x04E6, [0x5724], "Identiv uTrust 4701 F", "uTrust 4701 F"),
        family(0x04E6, [0x5725], "Identiv uTrust 4711 F", "uTrust 4711 F"),
        family(0x04E6, [0x5720], "Identive CLOUD 4500 F", "CLOUD 4500 F"),
        family(0x04E6, [0x5721], "Identive CLOUD 4510 F", "CLOUD 4510 F"),
        family(0x04E6, [0x5291], "SCM SCL010", "SCL010"),
        family(0x04E6, [0x5293], "SCM SCL01x", "SCL01x"),
        family(0x04E6, [0x5121], "SCM SDI010", "SDI010"),
        family(0x04E6, [0x512B, 0x512C], "SCM SDI011", "SDI011"),
        family(0x076B, [0x5022], "HID OMNIKEY 5022", "OMNIKEY 5022"),
        family(0x076B, [0x5023], "HID OMNIKEY 5023", "OMNIKEY 5023"),
        family(0x076B, [0x5412, 0x5432], "HID OMNIKEY 5122", "OMNIKEY 5122"),
        family(0x076B, [0x5127], "HID OMNIKEY 5127 CK", "OMNIKEY 5127"),
        family(0x076B, [0x5321], "HID OMNIKEY 5321", "CardMan 5321"),
        family(0x076B, [0x5326], "HID OMNIKEY 5326", "OMNIKEY 5326"),
        family(0x076B, [0x5421], "HID OMNIKEY 5421", "OMNIKEY 5421"),
        family(0x076B, [0x5422], "HID OMNIKEY 5422", "OMNIKEY 5422"),
        family(0x076B, [0x5427], "HID OMNIKEY 5427 CK", "OMNIKEY 5427"),
        family(0x076B, [0x5121], "HID OMNIKEY CardMan 5121", "CardMan 5121"),
        family(0x1FC9, [0x0117], "NXP PN7462AU", "PN7462AU"),
        family(0x1FC9, [0x010B], "NXP PR533", "PR533"),
        family(0x1FC9, [0x0107], "NXP Pegoda 2", "Pegoda 2"),
        family(0x1FC9, [0x0157], "NXP Pegoda 3", "Pegoda 3"),
        family(0x054C, [0x0DC9], "Sony RC-S300/P", "RC-S300/P"),
        family(0x054C, [0x0DC8], "Sony RC-S300/S", "RC-S300/S"),
        family(0x054C, [0x0D8F], "Sony RC-S660/U", "RC-S660/U"),
        family(0x09D8, [0x0427, 0x0428], "Elatec TWN4", "TWN4"),
        family(0x1DB2, [0x0801], "DUALi DE-620", "DE-620"),
        family(0x1DB2, [0x080C], "DUALi DE-ABCM6", "DE-ABCM6"),
        family(0x1DB2, [0x088B], "DUALi DRAGON", "DRAGON NFC"),
        family(0x1C34, [0x7121], "SpringCard CSB6 Basic", "CSB6 Basic"),
        family(0x1C34, [0x7123], "SpringCard CSB6 Secure", "CSB6 Secure"),
        family(0x1C34, [0x7124], "SpringCard CSB6 Ultimate", "CSB6 Ultimate"),
        family(0x1C34, [0x7113], "SpringCard CrazyWriter", "CrazyWriter"),
        family(0x1C34, [0x6112, 0x611A], "SpringCard E518", "E518"),
        family(0x1C34, [0x7136], "SpringCard EasyFinger Standard", "EasyFinger Standard"),
        family(0x1C34, [0x7138], "SpringCard EasyFinger Ultimate", "EasyFinger Ultimate"),
        family(0x1C34, [0xA1A1], "SpringCard H512", "H512"),
        family(0x1C34, [0x6122, 0x612A], "SpringCard H518", "H518"),
        family(0x1C34, [0x91B1], "SpringCard H663", "H663"),
        family(0x1C34, [0x6212, 0x621A], "SpringCard M519", "M519"),
        family(0x1C34, [0x8141], "SpringCard NFC'Roll", "NFC'Roll"),
        family(0x1C34, [0x7141], "SpringCard Prox'N'Roll", "Prox'N'Roll"),
        family(0x1C34, [0x6132, 0x613A], "SpringCard Puck", "Puck"),
        family(0x1C34, [0x6012, 0x601A], "SpringCard SpringCore", "SpringCore"),
        family(0x08AE, [0x0BDF], "Macally NFC", "Macally NFC"),
        family(0x08E6, [0x5503], "Gemalto Prox Dual", "Prox Dual"),
        family(0x08E6, [0x5504], "Gemalto Prox SU", "Prox SU"),
        family(0x096E, [0x0608], "Feitian 502-CL", "502-CL"),
        family(0x096E, [0x0622], "Feitian VR504", "VR504"),
        family(0x0A89, [0x006A], "Aktiv Rutoken SCR 3101", "SCR 3101 NFC"),
        family(0x0C4B, [0x9102], "REINER SCT cyberJack RFID", "cyberJack RFID"),
        family(0x0DB5, [0x0160, 0x0164], "Access IS NFC module", "Access IS NFC"),
        family(0x1206, [0x2107], "SYNNIX CL-2100R", "CL-2100R"),
        family(0x1403, [0x7531], "mCore Contactless", "mCore Contactless"),
        family(0x1667, [0x0053], "GIGA-TMS NFC", "GIGA-TMS NFC"),
        family(0x19A6, [0x0009], "ubisys RFID", "ubisys 13.56MHz"),
        family(0x1B0E, [0x5A02], "BLUTRONICS TAURUS", "TAURUS NFC"),
        family(0x1C6A, [0x7050], "Regula RFID", "Regula RFID"),
        family(0x1FD3, [0xCC1D], "ASK CPL108", "CPL108"),
        family(0x1FFA, [0x0002], "ELYCTIS CL", "ELYCTIS CL"),
        family(0x21AB, [0x0010], "Planeta RC700", "RC700-NFC"),
        family(0x25DD, [0x3403], "BIT4ID miniLector AIR", "miniLector AIR NFC"),
        family(0x2D25, [0x0000], "KRONEGGER NFC blue", "NFC blue"),
        family(0x2F7C, [0x6007], "Diebold Nixdorf PN7362AU", "PN7362au"),
        family(0x31AA, [0x2000, 0x2001, 0x2100], "Circle CIR215", "CIR215"),
        family(0x31AA, [0x3002], "Circle CIR315", "CIR315"),
        family(0x31AA, [0x4000, 0x4001], "Circle CIR415", "CIR415"),
        family(0x31AA, [0x6000, 0x6001], "Circle CIR615", "CIR615"),
        family(0x349E, [0x0430], "TOKEN2 MFA NFC", "MFA NFC"),
        family(0x356F, [0x22FC], "Sensyl SSC-NFC", "SSC-NFC"),
    ]

    /// This vendor's products, whose names in pcscd all contain this word.
    private static func family(
        _ vendor: UInt16, _ products: [UInt16], _ make: String, _ word: String
    ) -> [ReaderModel] {
        products.map { ReaderModel(vendor, $0, make, .smartCard(word: word)) }
    }

    /// The serial bridges used on PN532 boards and in many other devices.
    static let bridges: [ReaderModel] = [
        ReaderModel(0x0403, 0x6001, "FTDI serial bridge", .serialBridge),
        ReaderModel(0x10C4, 0xEA60, "CP210x serial bridge", .serialBridge),
        ReaderModel(0x1A86, 0x7523, "CH340 serial bridge", .serialBridge),
        ReaderModel(0x067B, 0x2303, "PL2303 serial bridge", .serialBridge),
    ]

    /// NFC devices that users might try but that tapcard does not support.
    static let unsupported: [ReaderModel] = [
        ReaderModel(0x054C, 0x06C1, "Sony RC-S380/S", .unsupported(port100)),
        ReaderModel(0x054C, 0x06C3, "Sony RC-S380/P", .unsupported(port100)),
        ReaderModel(0x054C, 0x01BB, "Sony RC-S320", .unsupported(felicaOnly)),
    ]

    private static let port100 =
        "Neither libnfc nor pcscd has a driver for this reader; only nfcpy does. For tapcard, "
        + "use an ACR122U, a PN532 board, or a contactless CCID reader such as the ACR1252U."
    private static let felicaOnly =
        "This reader reads only FeliCa, not NTAG. For tapcard, use an ACR122U, a PN532 board, or a "
        + "contactless CCID reader such as the ACR1252U."
}
