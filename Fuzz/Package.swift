// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as all of it is built with the fuzzer's instruments: see docs/TESTING.md.
let package = Package(
    name: "tapcard-fuzz",
    dependencies: [.package(name: "tapcard", path: "..")],
    targets: [
        .systemLibrary(name: "CFuzzer", path: "Sources/CFuzzer"),
        .executableTarget(
            name: "TapcardFuzz",
            dependencies: ["CFuzzer", .product(name: "FuzzTargets", package: "tapcard")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
            ]),
    ]
)
