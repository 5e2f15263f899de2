// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "till",
    dependencies: [.package(name: "tapcard", path: "../..")],
    targets: [
        .executableTarget(
            name: "Till",
            dependencies: [
                .product(name: "TapcardCore", package: "tapcard"),
                .product(name: "SimulatedReader", package: "tapcard"),
            ])
    ]
)
