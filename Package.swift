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

extension [Target.Dependency] {
    /// Targets by name, separated by spaces.
    static func named(_ names: String) -> [Target.Dependency] {
        Set(names.split(separator: " ")).sorted().map { .byName(name: String($0)) }
    }
}

/// What most tests of a station import.
let station = """
    BlockingLane CardCryptography Cards Ledger OperatingSystem PortDoubles SimulatedReader Tags \
    TapcardCore TapcardDomain TestSupport TextCodecs
    """
/// What most tests of readers import.
let tags = "BlockingLane CardCryptography OperatingSystem Tags TapcardDomain TestSupport TextCodecs"

/// A target of the product: `Sources/<floor>/<name>`.
func room(_ name: String, on floor: String, _ imports: String = "") -> Target {
    .target(
        name: name, dependencies: .named(imports),
        path: "Sources/\(floor)/\(name)",
        swiftSettings: strict)
}

/// A C library of the system: a module map and a header, no logic. It needs no pkg-config: most are
/// opened at run time, and the linker finds those three that a module map links.
func library(_ name: String, in package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Libraries/\(name)",
        providers: package.map { [.apt([$0])] })
}

/// The tests of one target: `Tests/<floor>/<name>Tests`.
func tests(of name: String, on floor: String, _ imports: String = "") -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: .named("\(name) \(imports)"),
        path: "Tests/\(floor)/\(name)Tests", swiftSettings: unoptimised)
}

/// What tests share: `Tests/Helpers/<name>`.
func helper(_ name: String, _ imports: String = "", exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: .named(imports), path: "Tests/Helpers/\(name)",
        exclude: exclude, swiftSettings: strict)
}

/// A program that people or tests run.
func program(
    _ name: String, at path: String, _ imports: String, settings: [SwiftSetting] = strict,
    linker: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: .named(imports), path: path,
        swiftSettings: settings, linkerSettings: linker)
}

let package = Package(
    name: "tapcard",
    products: [
        .executable(name: "tapcard", targets: ["tapcard"]),
        .library(
            name: "TapcardCore",
            targets: ["TapcardCore", "TapcardDomain", "Ledger", "Tags", "CardCryptography"]),
        .library(name: "TapcardTags", targets: ["TapcardTags"]),
        .library(name: "StationFiles", targets: ["StationFiles"]),
        .library(name: "SimulatedReader", targets: ["SimulatedReader"]),
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
        library("CSQLite", in: "libsqlite3-dev"),
        library("CPQ", in: "libpq-dev"),
        library("COpenSSL", in: "libssl-dev"),
        library("CNettle", in: "nettle-dev"),
        library("CLibNFC", in: "libnfc-dev"),
        library("CLibUSB", in: "libusb-1.0-0-dev"),
        library("CPCSC", in: "libpcsclite-dev"),
        library("CCurl", in: "libcurl4-openssl-dev"),
        library("CMicroHTTPD", in: "libmicrohttpd-dev"),
        library("CZlib", in: "zlib1g-dev"),
        library("CMosquitto", in: "libmosquitto-dev"),

        room("BlockingLane", on: "Support"),
        room("TextCodecs", on: "Support"),
        room("OperatingSystem", on: "Support", "BlockingLane CLinux"),
        room("WebServer", on: "Support", "BlockingLane CLinux CMicroHTTPD OperatingSystem"),

        room("TapcardDomain", on: "Domain"),

        room("CardCryptography", on: "Card", "CNettle COpenSSL OperatingSystem TextCodecs"),
        room("Tags", on: "Card", "CardCryptography TapcardDomain TextCodecs"),
        room("Cards", on: "Card", "CardCryptography Tags TapcardDomain TextCodecs"),

        room(
            "SimulatedReader", on: "Readers",
            "BlockingLane CLinux OperatingSystem Tags TapcardDomain TextCodecs"),
        room(
            "PN532Emulator", on: "Readers",
            "BlockingLane CLinux OperatingSystem SimulatedReader Tags TapcardDomain TextCodecs"),
        room("LibNFCReader", on: "Readers", "BlockingLane CLibNFC OperatingSystem Tags"),
        room("PCSCReader", on: "Readers", "BlockingLane CPCSC Tags"),
        room("ReaderProcess", on: "Readers", "BlockingLane Tags"),
        room("RemoteReader", on: "Readers", "ReaderProcess Tags TapcardDomain"),
        room("ReaderDiagnosis", on: "Readers", "BlockingLane CLibUSB"),

        room("Ledger", on: "Ledgers", "TapcardDomain"),
        room(
            "SQLiteLedger", on: "Ledgers",
            "BlockingLane CSQLite Ledger OperatingSystem TapcardDomain"),
        room(
            "PostgreSQLLedger", on: "Ledgers",
            "BlockingLane CPQ Ledger OperatingSystem TapcardDomain"),

        room(
            "RemoteServices", on: "Services",
            "BlockingLane CCurl OperatingSystem TapcardDomain TextCodecs"),
        room(
            "ServiceSandbox", on: "Services", "BlockingLane TapcardDomain TextCodecs WebServer"),

        room(
            "TapcardCore", on: "Core",
            "BlockingLane CardCryptography Cards Ledger Tags TapcardDomain TextCodecs"),
        room(
            "StationFiles", on: "Core",
            "BlockingLane CardCryptography Ledger OperatingSystem TapcardCore TapcardDomain TextCodecs"
        ),

        room(
            "Verbs", on: "Delivery",
            """
            BlockingLane CardCryptography Cards Ledger OperatingSystem ReaderDiagnosis StationFiles \
            Tags TapcardCore TapcardDomain TextCodecs
            """),
        room(
            "CommandLine", on: "Delivery",
            """
            CardCryptography Ledger ReaderDiagnosis StationFiles TapcardCore TapcardDomain TextCodecs \
            Verbs
            """),
        .target(name: "TillPage", path: "Sources/Delivery/TillPage", exclude: ["page"]),
        // packaging/stamped writes a header for the build into this folder, outside of the sources.
        .target(
            name: "BuildStamp", path: "Sources/Delivery/BuildStamp",
            cSettings: [.headerSearchPath("../../../.build/stamp")]),
        room(
            "CustomerServer", on: "Delivery",
            "BlockingLane CardCryptography Ledger Tags TapcardDomain TextCodecs WebServer"),
        room(
            "TillServer", on: "Delivery",
            """
            BlockingLane CZlib CardCryptography CustomerServer Ledger OperatingSystem RemoteReader \
            StationFiles Tags TapcardCore TapcardDomain TextCodecs TillPage Verbs WebServer
            """),
        room(
            "Bridge", on: "Delivery",
            """
            BlockingLane CLinux CMosquitto CardCryptography OperatingSystem ReaderDiagnosis \
            RemoteServices Tags TapcardCore TapcardDomain TextCodecs Verbs
            """),
        room(
            "TapcardTags", on: "Delivery",
            """
            CardCryptography Ledger LibNFCReader OperatingSystem PCSCReader SimulatedReader Tags \
            TapcardCore TapcardDomain TextCodecs
            """),
        program(
            "tapcard", at: "Sources/Delivery/tapcard",
            """
            BlockingLane Bridge BuildStamp CardCryptography CommandLine Ledger LibNFCReader OperatingSystem \
            PCSCReader PN532Emulator PostgreSQLLedger ReaderDiagnosis ReaderProcess RemoteReader \
            RemoteServices SQLiteLedger ServiceSandbox StationFiles SimulatedReader Tags TapcardCore TapcardDomain TextCodecs \
            TillServer Verbs WebServer
            """, linker: selfContained),

        // The examples of docs/LIBRARY.md; each has a manifest of its own for programs outside.
        .executableTarget(
            name: "TillExample", dependencies: ["SimulatedReader", "TapcardCore"],
            path: "Examples/Till/Sources/Till"),
        .executableTarget(
            name: "PulledCardExample", dependencies: ["SimulatedReader", "TapcardCore"],
            path: "Examples/PulledCard/Sources/PulledCard"),
        .executableTarget(
            name: "SpoolExample", dependencies: ["TapcardTags"],
            path: "Examples/Spool/Sources/Spool"),

        .target(
            name: "PaymentsInC", path: "Benchmarks/PaymentsInC",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "StationsInC", path: "Benchmarks/StationsInC",
            linkerSettings: [.linkedLibrary("pq")]),
        program(
            "StationBenchmarks", at: "Benchmarks/StationBenchmarks",
            "\(station) PostgreSQLLedger StationsInC", settings: unoptimised),
        program(
            "ManyAgents", at: "Benchmarks/ManyAgents",
            "RemoteReader RemoteServices SimulatedReader Tags TapcardDomain"),
        program(
            "TapcardBenchmarks", at: "Benchmarks/TapcardBenchmarks",
            "\(station) LibNFCReader PN532Emulator PaymentsInC SQLiteLedger"),
        program(
            "PagesWithTapcard", at: "Benchmarks/PagesWithTapcard",
            "Cards LibNFCReader Tags TextCodecs", linker: selfContained),

        helper("TestSupport", "BlockingLane TextCodecs"),
        helper("PortDoubles", "BlockingLane Ledger ReaderProcess RemoteReader Tags TapcardDomain"),
        helper("LedgerConformance", "Ledger TapcardDomain TestSupport"),
        helper("PlayedPCSCReaders", "Tags"),
        helper("FaultyWorld", station),
        helper("FarLedger", "\(station) FaultyWorld PostgreSQLLedger"),
        helper("SoakTown", "\(station) FarLedger FaultyWorld"),
        helper("IdleDrivers", "Ledger TapcardDomain Verbs"),
        helper(
            "FuzzTargets",
            """
            \(station) CommandLine LibNFCReader PCSCReader PN532Emulator ReaderProcess \
            RemoteReader RemoteServices Verbs
            """),
        helper(
            "OtherClients", "TestSupport",
            exclude: [
                "dna_client.py", "ndeflib_client.py", "nfcpy_client.py", "schemathesis_client.py",
            ]),
        .target(
            name: "KillSwitch", path: "Tests/Helpers/KillSwitch",
            linkerSettings: [.linkedLibrary("dl")]),

        program(
            "FaultEnumerator", at: "Tests/Programs/FaultEnumerator",
            """
            \(station) FarLedger FaultyWorld PostgreSQLLedger ReaderProcess RemoteReader \
            SQLiteLedger
            """),
        program("Soak", at: "Tests/Programs/Soak", "SoakTown TapcardDomain"),
        program(
            "ReaderMemcheck", at: "Tests/Programs/ReaderMemcheck",
            "LibNFCReader PN532Emulator SimulatedReader"),
        program("TapAddress", at: "Tests/Programs/TapAddress", "\(tags) CustomerServer"),
        program("PlugProbe", at: "Tests/Programs/PlugProbe", "ReaderDiagnosis"),

        tests(of: "TextCodecs", on: "Support"),
        tests(of: "BlockingLane", on: "Support"),
        tests(of: "OperatingSystem", on: "Support"),
        tests(of: "WebServer", on: "Support", "BlockingLane TestSupport"),
        tests(of: "TapcardDomain", on: "Domain", "TestSupport"),
        tests(of: "CardCryptography", on: "Card", "TextCodecs"),
        tests(of: "Tags", on: "Card", tags),
        tests(of: "Cards", on: "Card", "\(tags) PortDoubles SimulatedReader"),
        tests(of: "SimulatedReader", on: "Readers", tags),
        tests(of: "PN532Emulator", on: "Readers", "\(tags) SimulatedReader"),
        tests(of: "ReaderProcess", on: "Readers", "\(tags) PortDoubles"),
        tests(
            of: "RemoteReader", on: "Readers",
            "BlockingLane PortDoubles ReaderProcess Tags TapcardDomain"),
        tests(
            of: "LibNFCReader", on: "Readers", "\(tags) FuzzTargets PN532Emulator SimulatedReader"),
        tests(of: "PCSCReader", on: "Readers", "\(station) PlayedPCSCReaders"),
        tests(
            of: "ReaderDiagnosis", on: "Readers",
            "\(station) CommandLine IdleDrivers PCSCReader PlugProbe Verbs"),
        tests(of: "Ledger", on: "Ledgers", "LedgerConformance TapcardDomain"),
        tests(
            of: "SQLiteLedger", on: "Ledgers",
            "CSQLite Ledger LedgerConformance TapcardDomain TestSupport"),
        tests(
            of: "PostgreSQLLedger", on: "Ledgers",
            "\(station) CustomerServer LedgerConformance WebServer"),
        tests(of: "RemoteServices", on: "Services", "BlockingLane TapcardDomain TestSupport"),
        tests(of: "ServiceSandbox", on: "Services", "TapcardDomain TestSupport TextCodecs"),
        tests(of: "TapcardCore", on: "Core", "\(station) FaultyWorld ReaderProcess RemoteReader"),
        tests(of: "StationFiles", on: "Core", station),
        tests(
            of: "Verbs", on: "Delivery", "Ledger TapcardCore TapcardDomain TestSupport TextCodecs"),
        tests(
            of: "CommandLine", on: "Delivery",
            "\(station) Bridge IdleDrivers ReaderDiagnosis RemoteServices StationFiles TillServer Verbs"
        ),
        tests(of: "Bridge", on: "Delivery", "\(station) RemoteServices Verbs"),
        tests(of: "TapcardTags", on: "Delivery", station),
        tests(of: "CustomerServer", on: "Delivery", "\(station) LedgerConformance WebServer"),
        tests(
            of: "TillServer", on: "Delivery",
            """
            \(station) CommandLine IdleDrivers ReaderDiagnosis ReaderProcess RemoteReader \
            StationFiles Verbs WebServer
            """),
        .testTarget(
            name: "HelperTests",
            dependencies: .named(
                """
                \(station) FaultEnumerator FaultyWorld FuzzTargets OtherClients PN532Emulator \
                SoakTown
                """), path: "Tests/Helpers/HelperTests", swiftSettings: unoptimised),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["TestSupport"],
            path: "Tests/ArchitectureTests", swiftSettings: unoptimised),
        .testTarget(
            name: "EndToEndTests",
            // These tests run tapcard and the example. A build with the tests builds both. As a
            // dependency, tapcard would link the tests with its own linker flags.
            dependencies: .named(
                "\(tags) CSQLite OtherClients PN532Emulator ServiceSandbox SimulatedReader"),
            path: "Tests/EndToEndTests", swiftSettings: unoptimised),
    ]
)
