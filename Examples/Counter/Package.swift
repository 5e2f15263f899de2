// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "counter",
    dependencies: [.package(name: "tapcard", path: "../..")],
    targets: [
        .executableTarget(
            name: "Counter",
            dependencies: [
                .product(name: "TapcardCore", package: "tapcard"),
                .product(name: "SimulatedReader", package: "tapcard"),
            ])
    ]
)
