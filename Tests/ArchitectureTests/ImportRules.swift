/// Who may import whom: the arrows of docs/ARCHITECTURE.md, and no others.
enum ImportRules {
    static let allowed: [String: Set<String>] = [
        "TapcardDomain": [],
        "NDEF": [],
        "TagReading": [],
        "TextCodecs": [],
        "BlockingLane": ["Dispatch", "Glibc"],
        "DurableFile": ["Glibc"],
        "LibraryLoading": ["Glibc"],
        "SystemClock": ["Glibc"],
        "PasswordEntry": [],
        "TerminalControl": ["BlockingLane", "CLinux", "PasswordEntry", "Glibc"],
        "WebServer": [
            "BlockingLane", "CLinux", "CMicroHTTPD", "LibraryLoading", "SystemClock", "Glibc",
        ],
        "CardCryptography": ["COpenSSL", "TextCodecs"],
        "Type2Tag": ["TagReading", "TextCodecs"],
        "CardImage": ["NDEF", "TapcardDomain", "CardCryptography", "TextCodecs"],
        "CardStore": ["CardImage", "Type2Tag", "TagReading", "CardCryptography", "TapcardDomain"],
        "SimulatedField": ["TagReading", "Type2Tag", "TextCodecs"],
        "SimulatedReader": [
            "SimulatedField", "TagReading", "Type2Tag", "DurableFile", "BlockingLane", "CLinux",
            "Glibc",
        ],
        "PN532Emulator": [
            "SimulatedField", "TagReading", "Type2Tag", "TextCodecs", "BlockingLane", "CLinux",
            "SystemClock", "Glibc",
        ],
        "ReaderProcess": ["TagReading", "BlockingLane", "Glibc"],
        "LibNFCReader": [
            "TagReading", "BlockingLane", "DurableFile", "CLibNFC", "LibraryLoading", "Glibc",
            "Dispatch",
        ],
        "ReaderDiagnosis": [],
        "USBReaderDiscovery": ["ReaderDiagnosis", "BlockingLane", "CLibUSB", "Glibc"],
        "PCSCReader": ["TagReading", "BlockingLane", "CPCSC", "Glibc"],
        "Ledger": ["TapcardDomain"],
        "SQLiteLedger": [
            "Ledger", "TapcardDomain", "BlockingLane", "CSQLite", "Glibc",
        ],
        "ServicePorts": ["TapcardDomain"],
        "RemoteServices": [
            "ServicePorts", "TapcardDomain", "TextCodecs", "DurableFile", "BlockingLane", "CCurl",
            "LibraryLoading", "SystemClock", "Glibc",
        ],
        "ServiceSandbox": ["TapcardDomain", "TextCodecs", "BlockingLane", "WebServer"],
        "TapcardCore": [
            "TapcardDomain", "NDEF", "Type2Tag", "CardCryptography", "CardImage", "CardStore",
            "TagReading", "Ledger", "ServicePorts", "DurableFile", "TextCodecs", "BlockingLane",
        ],
        "StyledText": ["TapcardDomain"],
        "MastermindBoard": ["ServicePorts", "TapcardDomain", "StyledText", "PasswordEntry"],
        "Verbs": [
            "TapcardCore", "TapcardDomain", "Type2Tag", "CardCryptography", "CardImage",
            "TagReading", "Ledger", "ServicePorts", "DurableFile", "TextCodecs", "Glibc",
            "ReaderDiagnosis", "BlockingLane", "MastermindBoard", "TerminalControl",
            "StyledText",
        ],
        // The two faces of the verbs do not know each other.
        "CommandLine": [
            "Verbs", "TapcardCore", "TapcardDomain", "CardCryptography", "Ledger",
            "ReaderDiagnosis", "StyledText", "TextCodecs",
        ],
        "KioskServer": [
            "BlockingLane", "CZlib", "CardCryptography", "CounterPage", "DurableFile", "Glibc",
            "Ledger", "LibraryLoading", "StyledText", "TagReading", "TapcardCore",
            "TapcardDomain", "TextCodecs", "Verbs", "WebServer",
        ],
        "tapcard": [
            "CommandLine", "KioskServer", "Verbs", "StyledText", "TapcardCore", "SimulatedField",
            "SimulatedReader",
            "PN532Emulator", "SQLiteLedger", "TagReading", "Ledger", "TapcardDomain", "Type2Tag",
            "TextCodecs", "CardCryptography", "DurableFile", "ReaderDiagnosis",
            "USBReaderDiscovery", "LibNFCReader", "PCSCReader", "ReaderProcess", "BlockingLane",
            "RemoteServices", "ServiceSandbox", "TerminalControl", "WebServer", "SystemClock",
            "Glibc", "Dispatch",
        ],
    ]

    /// What a file imports and must not.
    static func violations(in file: SourceTree.File) -> [String] {
        guard let allowed = allowed[file.target] else {
            return ["\(file): no rule says what \(file.target) may import"]
        }
        // The standard library is named only to reach one of its own doors.
        return file.imports.filter { $0 != "Swift" && !allowed.contains($0) }
            .map { "\(file): \(file.target) must not import \($0)" }
    }
}
