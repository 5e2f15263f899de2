// swift-tools-version: 6.2
import PackageDescription

/// One strictness for every Swift target: what the compiler can find, it must find.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Tests wait for what they test, and are compiled more often than they are run: optimising them
/// would take longer than they do.
let unoptimised = strict + [.unsafeFlags(["-Onone"])]
// The program carries the Swift runtime: it runs where no Swift is installed, and one build serves
// it and the tests. packaging/static-runtime puts the C++ runtime there, too. A sanitizer needs the
// shared runtimes.
let selfContained: [LinkerSetting] =
    Context.environment["TAPCARD_SANITIZED"] == nil
    ? [
        .unsafeFlags([
            "-static-stdlib", "-L\(Context.packageDirectory)/.build/static",
            "-Xlinker", "--no-export-dynamic",
        ])
    ] : []

/// A target on its floor: `Sources/<floor>/<name>`.
func room(_ name: String, on floor: String, _ imports: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: imports, path: "Sources/\(floor)/\(name)",
        swiftSettings: strict)
}

/// A C library of the system: a module map and a header, no logic.
func library(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Sources/Libraries/\(name)")
}

/// The tests of one target: `Tests/<name>Tests`.
func tests(of name: String, _ imports: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + imports,
        path: "Tests/\(name)Tests", swiftSettings: unoptimised)
}

let package = Package(
    name: "tapcard",
    products: [
        .executable(name: "tapcard", targets: ["tapcard"]),
        .library(
            name: "TapcardCore",
            targets: [
                "TapcardCore", "StationFiles", "TapcardDomain", "Games", "Type2Tag",
                "CardCryptography", "TagReading", "Ledger", "ServicePorts",
            ]),
        .library(name: "SimulatedReader", targets: ["SimulatedReader", "SimulatedField"]),
        .library(name: "LibNFCReader", targets: ["LibNFCReader"]),
        .library(name: "PCSCReader", targets: ["PCSCReader"]),
        .library(name: "SQLiteLedger", targets: ["SQLiteLedger"]),
        // For the package in Fuzz, which sees products only.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        // For tests only; a product because it is loaded in front of the program's libraries.
        .library(name: "KillSwitch", type: .dynamic, targets: ["KillSwitch"]),
    ],
    targets: [
        library("CLinux"),
        library("CSQLite"),
        library("CPQ"),
        library("COpenSSL"),
        library("CNettle"),
        library("CLibNFC"),
        library("CLibUSB"),
        library("CPCSC"),
        library("CCurl"),
        library("CMicroHTTPD"),
        library("CZlib"),

        room("BlockingLane", on: "Support"),
        room("TextCodecs", on: "Support"),
        room("DurableFile", on: "Support"),
        room("LibraryLoading", on: "Support"),
        room("SystemClock", on: "Support"),
        room(
            "WebServer", on: "Support",
            ["BlockingLane", "CLinux", "CMicroHTTPD", "LibraryLoading", "SystemClock"]),

        room("TapcardDomain", on: "Domain"),
        room("Games", on: "Domain", ["TapcardDomain"]),

        room("NDEF", on: "Card"),
        room("Type2Tag", on: "Card", ["TagReading", "TapcardDomain", "TextCodecs"]),
        room(
            "CardCryptography", on: "Card",
            ["CNettle", "COpenSSL", "LibraryLoading", "TextCodecs"]),
        room("IsoDep", on: "Card"),
        room("NTAG424", on: "Card", ["CardCryptography", "TapcardDomain", "TextCodecs"]),
        room(
            "CardImage", on: "Card",
            ["NDEF", "TapcardDomain", "Games", "CardCryptography", "TextCodecs"]),
        room(
            "NTAG424Card", on: "Card",
            ["CardCryptography", "CardImage", "NDEF", "NTAG424", "TagReading", "TapcardDomain"]),
        room(
            "CardStore", on: "Card",
            ["CardImage", "Type2Tag", "TagReading", "CardCryptography", "TapcardDomain"]),

        room("TagReading", on: "Readers"),
        room(
            "SimulatedField", on: "Readers",
            ["NTAG424", "TagReading", "TextCodecs", "Type2Tag"]),
        room(
            "SimulatedReader", on: "Readers",
            [
                "NTAG424", "SimulatedField", "TagReading", "Type2Tag", "DurableFile",
                "BlockingLane", "CLinux",
            ]),
        room(
            "PN532Emulator", on: "Readers",
            [
                "IsoDep", "NTAG424", "SimulatedField", "TagReading", "Type2Tag", "TextCodecs",
                "BlockingLane", "CLinux",
                "SystemClock",
            ]),
        room(
            "LibNFCReader", on: "Readers",
            ["IsoDep", "TagReading", "BlockingLane", "DurableFile", "CLibNFC", "LibraryLoading"]),
        room("PCSCReader", on: "Readers", ["TagReading", "BlockingLane", "CPCSC"]),
        room("ReaderProcess", on: "Readers", ["TagReading", "BlockingLane"]),
        room("ReaderDiagnosis", on: "Readers"),
        room(
            "USBReaderDiscovery", on: "Readers", ["ReaderDiagnosis", "BlockingLane", "CLibUSB"]),

        room("Ledger", on: "Ledgers", ["TapcardDomain", "Games"]),
        room("LedgerColumns", on: "Ledgers", ["Ledger", "TapcardDomain", "Games"]),
        room(
            "SQLiteLedger", on: "Ledgers",
            ["Ledger", "LedgerColumns", "TapcardDomain", "Games", "BlockingLane", "CSQLite"]),
        room(
            "PostgreSQLLedger", on: "Ledgers",
            [
                "Ledger", "LedgerColumns", "TapcardDomain", "Games", "BlockingLane", "CPQ",
                "DurableFile", "LibraryLoading", "SystemClock",
            ]),

        room("ServicePorts", on: "Services", ["TapcardDomain", "Games"]),
        room(
            "RemoteServices", on: "Services",
            [
                "ServicePorts", "TapcardDomain", "Games", "TextCodecs", "DurableFile",
                "BlockingLane", "CCurl", "LibraryLoading", "SystemClock",
            ]),
        room(
            "ServiceSandbox", on: "Services",
            ["TapcardDomain", "Games", "TextCodecs", "BlockingLane", "WebServer"]),

        room(
            "TapcardCore", on: "Core",
            [
                "TapcardDomain", "Games", "NDEF", "NTAG424", "Type2Tag", "CardCryptography",
                "CardImage", "CardStore", "NTAG424Card", "TagReading", "Ledger", "ServicePorts",
                "TextCodecs",
                "BlockingLane",
            ]),

        room(
            "StationFiles", on: "Core",
            [
                "TapcardCore", "TapcardDomain", "CardCryptography", "DurableFile", "Ledger",
                "TextCodecs", "BlockingLane",
            ]),
        room(
            "MastermindGames", on: "Core",
            ["TapcardCore", "TapcardDomain", "Games", "ServicePorts", "DurableFile", "TextCodecs"]),

        room("StyledText", on: "Delivery", ["TapcardDomain"]),
        room(
            "Verbs", on: "Delivery",
            [
                "TapcardCore", "StationFiles", "MastermindGames", "TapcardDomain", "Games",
                "Type2Tag", "CardCryptography", "CardImage", "TagReading", "Ledger",
                "ServicePorts", "DurableFile", "TextCodecs",
                "ReaderDiagnosis", "BlockingLane", "StyledText",
            ]),
        room(
            "CommandLine", on: "Delivery",
            [
                "Verbs", "TapcardCore", "StationFiles", "TapcardDomain", "Games",
                "CardCryptography", "Ledger", "ReaderDiagnosis", "StyledText", "TextCodecs",
            ]),
        .target(
            name: "TillPage", path: "Sources/Delivery/TillPage", exclude: ["page"]),
        // packaging/stamped writes a header for the build into this folder, outside of the sources.
        .target(
            name: "BuildStamp", path: "Sources/Delivery/BuildStamp",
            cSettings: [.headerSearchPath("../../../.build/stamp")]),
        room(
            "CustomerServer", on: "Delivery",
            [
                "BlockingLane", "CardCryptography", "Ledger", "NTAG424", "TapcardDomain",
                "TextCodecs", "WebServer",
            ]),
        room(
            "TillServer", on: "Delivery",
            [
                "BlockingLane", "CZlib", "CardCryptography", "TillPage", "CustomerServer",
                "DurableFile",
                "Ledger", "LibraryLoading", "StationFiles", "StyledText", "SystemClock",
                "TagReading", "TapcardCore", "TapcardDomain", "TextCodecs", "Verbs", "WebServer",
            ]),
        .executableTarget(
            name: "tapcard",
            dependencies: [
                "BuildStamp", "CommandLine", "TillServer", "Verbs", "StyledText",
                "TapcardCore", "SimulatedField", "SimulatedReader",
                "NTAG424", "PN532Emulator", "PostgreSQLLedger", "SQLiteLedger", "TagReading",
                "Ledger",
                "TapcardDomain", "Type2Tag", "TextCodecs", "CardCryptography", "DurableFile",
                "ReaderDiagnosis",
                "USBReaderDiscovery", "LibNFCReader", "PCSCReader", "ReaderProcess", "BlockingLane",
                "RemoteServices", "ServiceSandbox", "WebServer", "SystemClock",
            ],
            path: "Sources/Delivery/tapcard", swiftSettings: strict,
            linkerSettings: selfContained),

        // The examples of docs/LIBRARY.md; each has a manifest of its own for programs outside.
        .executableTarget(
            name: "CounterExample",
            dependencies: [
                "CardCryptography", "Ledger", "SimulatedField", "SimulatedReader", "TapcardCore",
                "TapcardDomain",
            ],
            path: "Examples/Till/Sources/Till"),
        .executableTarget(
            name: "PulledCardExample",
            dependencies: [
                "CardCryptography", "Ledger", "SimulatedField", "SimulatedReader", "TagReading",
                "TapcardCore", "TapcardDomain",
            ],
            path: "Examples/PulledCard/Sources/PulledCard"),

        .target(
            name: "PaymentsInC", path: "Benchmarks/PaymentsInC",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "StationsInC", path: "Benchmarks/StationsInC",
            linkerSettings: [.linkedLibrary("pq")]),
        .executableTarget(
            name: "StationBenchmarks",
            dependencies: [
                "BlockingLane", "Ledger", "PostgreSQLLedger", "PrivatePostgreSQL", "StationsInC",
                "TapcardDomain",
            ],
            path: "Benchmarks/StationBenchmarks", swiftSettings: unoptimised),
        .executableTarget(
            name: "TapcardBenchmarks",
            dependencies: [
                "CardCryptography", "Ledger", "LibNFCReader", "PN532Emulator", "PaymentsInC",
                "PortDoubles", "SQLiteLedger", "SimulatedField", "SimulatedReader", "TapcardCore",
                "TapcardDomain", "Type2Tag",
            ],
            path: "Benchmarks/TapcardBenchmarks", swiftSettings: strict),
        .executableTarget(
            name: "PagesWithTapcard",
            dependencies: ["CardStore", "LibNFCReader", "TagReading", "TextCodecs", "Type2Tag"],
            path: "Benchmarks/PagesWithTapcard", swiftSettings: strict,
            linkerSettings: selfContained),

        .target(
            name: "PortDoubles",
            dependencies: ["BlockingLane", "Ledger", "TagReading", "TapcardDomain"],
            path: "Tests/PortDoubles", swiftSettings: strict),
        .target(
            name: "SeededChance", path: "Tests/SeededChance", swiftSettings: strict),
        .target(
            name: "Thoroughness", path: "Tests/Thoroughness", swiftSettings: strict),
        .target(
            name: "SchemaChecking", dependencies: ["TextCodecs"], path: "Tests/SchemaChecking",
            swiftSettings: strict),
        .target(
            name: "RawHTTP", dependencies: ["BlockingLane"], path: "Tests/RawHTTP",
            swiftSettings: strict),
        .target(
            name: "PrivatePostgreSQL", dependencies: ["BlockingLane"],
            path: "Tests/PrivatePostgreSQL", swiftSettings: strict),
        .target(
            name: "LedgerConformance",
            dependencies: ["Games", "Ledger", "SeededChance", "TapcardDomain"],
            path: "Tests/LedgerConformance", swiftSettings: strict),
        .target(
            name: "PlayedPCSCReaders", dependencies: ["NTAG424", "TagReading", "Type2Tag"],
            path: "Tests/PlayedPCSCReaders", swiftSettings: strict),

        .target(
            name: "FaultyWorld",
            dependencies: [
                "BlockingLane", "CardCryptography", "CardImage", "CardStore", "NTAG424Card",
                "Games",
                "Ledger", "NDEF", "NTAG424", "PortDoubles", "ServicePorts", "SimulatedField",
                "TagReading", "TapcardCore", "TapcardDomain", "Type2Tag",
            ],
            path: "Tests/FaultyWorld", swiftSettings: strict),

        .target(
            name: "FarLedger",
            dependencies: [
                "BlockingLane", "FaultyWorld", "Ledger", "PortDoubles", "PostgreSQLLedger",
                "PrivatePostgreSQL", "TapcardDomain",
            ],
            path: "Tests/FarLedger", swiftSettings: strict),

        .target(
            name: "SoakTown",
            dependencies: [
                "BlockingLane", "CardCryptography", "CardImage", "NTAG424Card", "FarLedger",
                "FaultyWorld", "Games", "Ledger", "NTAG424", "PortDoubles", "SeededChance",
                "ServicePorts", "SimulatedField", "TapcardCore", "TapcardDomain", "Type2Tag",
            ],
            path: "Tests/SoakTown", swiftSettings: strict),
        .executableTarget(
            name: "Soak", dependencies: ["SoakTown", "TapcardDomain"], path: "Tests/Soak",
            swiftSettings: strict),

        .target(
            name: "IdleDrivers",
            dependencies: ["Games", "Ledger", "ServicePorts", "TapcardDomain", "Verbs"],
            path: "Tests/IdleDrivers", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "BlockingLane", "CardCryptography", "CardImage", "CardStore", "NTAG424Card",
                "Games",
                "Ledger", "LibNFCReader", "NDEF", "NTAG424", "PCSCReader", "PN532Emulator",
                "ReaderProcess",
                "RemoteServices", "ServicePorts", "SimulatedField", "SimulatedReader", "TagReading",
                "CommandLine", "Verbs", "TapcardCore", "TapcardDomain", "TextCodecs", "Type2Tag",
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .target(
            name: "OtherClients", path: "Tests/OtherClients",
            exclude: ["dna_client.py", "nfcpy_client.py", "schemathesis_client.py"],
            swiftSettings: strict),
        .target(
            name: "KillSwitch", path: "Tests/KillSwitch",
            linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(
            name: "FaultEnumerator",
            dependencies: [
                "BlockingLane", "DurableFile", "FarLedger", "FaultyWorld", "Ledger", "PortDoubles",
                "PostgreSQLLedger", "PrivatePostgreSQL", "SQLiteLedger", "SimulatedField",
                "TagReading", "TapcardCore",
                "TapcardDomain", "Type2Tag",
            ],
            path: "Tests/FaultEnumerator", swiftSettings: strict),
        .executableTarget(
            name: "ReaderMemcheck",
            dependencies: ["LibNFCReader", "PN532Emulator", "SimulatedField"],
            path: "Tests/ReaderMemcheck", swiftSettings: strict),

        .executableTarget(
            name: "TapAddress",
            dependencies: [
                "CardCryptography", "CustomerServer", "DurableFile", "NTAG424", "TapcardDomain",
            ],
            path: "Tests/TapAddress", swiftSettings: strict),

        .testTarget(
            name: "ArchitectureTests", path: "Tests/ArchitectureTests", swiftSettings: unoptimised),
        tests(of: "TagReading"),
        tests(of: "TextCodecs"),
        tests(of: "BlockingLane"),
        tests(of: "DurableFile"),
        tests(of: "LibraryLoading"),
        tests(of: "StyledText"),
        tests(of: "WebServer", ["BlockingLane", "RawHTTP"]),
        tests(of: "TapcardDomain"),
        tests(of: "Games", ["SeededChance", "TapcardDomain"]),
        tests(of: "NDEF", ["SeededChance"]),
        tests(of: "Type2Tag", ["SeededChance", "TagReading", "Thoroughness"]),
        tests(of: "CardCryptography", ["TextCodecs"]),
        tests(of: "IsoDep", ["TagReading"]),
        tests(
            of: "NTAG424",
            ["CardCryptography", "DurableFile", "IsoDep", "TapcardDomain", "TextCodecs"]),
        tests(
            of: "NTAG424Card",
            [
                "CardCryptography", "CardImage", "NTAG424", "TagReading", "TapcardDomain",
                "TextCodecs",
            ]),
        tests(of: "Ledger", ["Games", "LedgerConformance", "TapcardDomain"]),
        tests(
            of: "PostgreSQLLedger",
            [
                "BlockingLane", "CardCryptography", "CustomerServer", "DurableFile", "Games",
                "Ledger", "LedgerConformance", "PortDoubles", "NTAG424", "PrivatePostgreSQL",
                "TapcardDomain",
                "Thoroughness", "WebServer",
            ]),
        tests(
            of: "SQLiteLedger",
            ["Games", "LedgerConformance", "Ledger", "TapcardDomain", "CSQLite", "Thoroughness"]),
        tests(
            of: "CardImage",
            ["Games", "TapcardDomain", "NDEF", "CardCryptography", "TextCodecs", "Thoroughness"]),
        tests(
            of: "CardStore",
            [
                "CardImage", "CardCryptography", "PortDoubles", "SimulatedField",
                "SimulatedReader", "TagReading", "TapcardDomain", "Type2Tag",
            ]),
        tests(of: "RemoteServices", ["BlockingLane", "Games", "ServicePorts", "TapcardDomain"]),
        tests(of: "FaultEnumerator", ["FaultyWorld"]),
        tests(of: "SoakTown", ["FaultyWorld", "TapcardCore", "Thoroughness"]),
        tests(
            of: "FaultyWorld",
            ["Ledger", "NTAG424", "SimulatedField", "TapcardCore", "TapcardDomain", "Type2Tag"]),
        tests(of: "SimulatedField", ["NTAG424", "TagReading", "Type2Tag"]),
        tests(
            of: "SimulatedReader",
            [
                "CardCryptography", "DurableFile", "NTAG424", "SimulatedField", "TagReading",
                "Type2Tag",
            ]),
        tests(
            of: "PN532Emulator",
            [
                "CardCryptography", "NTAG424", "SeededChance", "SimulatedField", "TagReading",
                "TextCodecs", "Type2Tag",
            ]),
        tests(of: "ReaderProcess", ["TagReading", "BlockingLane", "PortDoubles"]),
        tests(
            of: "LibNFCReader",
            [
                "FuzzTargets", "LibraryLoading", "PN532Emulator", "SimulatedField", "TagReading",
                "Type2Tag",
            ]),
        .testTarget(
            name: "OtherClientsTests",
            dependencies: [
                "CardCryptography", "NTAG424", "OtherClients", "PN532Emulator", "SimulatedField",
                "TextCodecs", "Type2Tag",
            ],
            path: "Tests/OtherClientsTests", swiftSettings: unoptimised),
        tests(
            of: "PCSCReader",
            [
                "PlayedPCSCReaders", "CardCryptography", "Ledger", "NTAG424", "SimulatedField",
                "SimulatedReader",
                "TagReading",
                "TapcardCore", "TapcardDomain", "Type2Tag",
            ]),
        tests(
            of: "TapcardCore",
            [
                "CardCryptography", "NTAG424Card", "Games", "Ledger", "NTAG424", "SimulatedField",
                "SimulatedReader", "TagReading", "TextCodecs",
                "TapcardDomain", "Type2Tag", "CardImage", "CardStore", "FaultyWorld", "NDEF",
                "PortDoubles", "DurableFile", "ServicePorts", "BlockingLane", "Thoroughness",
            ]),
        tests(
            of: "StationFiles",
            [
                "BlockingLane", "CardCryptography", "NTAG424Card", "DurableFile", "Ledger",
                "NTAG424",
                "PortDoubles", "SimulatedField", "SimulatedReader", "TagReading", "TapcardCore",
                "TapcardDomain", "Type2Tag",
            ]),
        tests(
            of: "MastermindGames",
            [
                "BlockingLane", "DurableFile", "Games", "ServicePorts", "TapcardCore",
                "TapcardDomain",
            ]),
        tests(
            of: "CommandLine",
            [
                "Games", "TillServer", "StationFiles", "Verbs",
                "CardCryptography", "TapcardCore", "TapcardDomain", "SimulatedField",
                "SimulatedReader", "Ledger",
                "TagReading", "Type2Tag", "DurableFile", "ReaderDiagnosis", "TextCodecs",
                "IdleDrivers", "BlockingLane", "ServicePorts",
            ]),
        tests(
            of: "TillServer",
            [
                "BlockingLane", "CardCryptography", "DurableFile", "IdleDrivers", "Ledger",
                "PortDoubles", "RawHTTP", "ReaderDiagnosis", "SchemaChecking", "ServicePorts",
                "SimulatedField", "SimulatedReader", "StationFiles",
                "TagReading", "CommandLine", "Verbs", "TapcardCore", "TapcardDomain", "TextCodecs",
                "Type2Tag", "WebServer",
            ]),
        tests(
            of: "CustomerServer",
            [
                "BlockingLane", "CardCryptography", "Ledger", "LedgerConformance", "NTAG424",
                "PortDoubles", "RawHTTP", "TapcardDomain", "WebServer",
            ]),
        tests(of: "FuzzTargets"),
        tests(
            of: "ServiceSandbox",
            ["Games", "RawHTTP", "SeededChance", "TapcardDomain", "TextCodecs"]),
        tests(of: "ReaderDiagnosis"),
        .executableTarget(
            name: "PlugProbe", dependencies: ["USBReaderDiscovery", "ReaderDiagnosis"],
            path: "Tests/PlugProbe", swiftSettings: strict),
        tests(
            of: "USBReaderDiscovery",
            [
                "ReaderDiagnosis", "CommandLine", "Verbs", "TapcardCore", "TagReading", "Ledger",
                "SimulatedField", "SimulatedReader", "TapcardDomain", "PlugProbe", "IdleDrivers",
                "BlockingLane", "PCSCReader", "PortDoubles",
            ]),
        .testTarget(
            name: "EndToEndTests",
            // These tests run tapcard and the example. A build with the tests builds both. As a
            // dependency, tapcard would link the tests with its own linker flags.
            dependencies: [
                "BlockingLane", "DurableFile", "CSQLite", "NDEF", "NTAG424", "OtherClients",
                "PN532Emulator", "PrivatePostgreSQL", "RawHTTP", "SchemaChecking", "ServiceSandbox",
                "SimulatedField", "TextCodecs", "Thoroughness", "Type2Tag",
            ], path: "Tests/EndToEndTests",
            swiftSettings: unoptimised),
    ]
)
