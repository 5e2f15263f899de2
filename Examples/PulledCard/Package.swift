// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "pulled-card",
    dependencies: [.package(name: "tapcard", path: "../..")],
    targets: [
        .executableTarget(
            name: "PulledCard",
            dependencies: [
                .product(name: "TapcardCore", package: "tapcard"),
                .product(name: "SimulatedReader", package: "tapcard"),
            ])
    ]
)
