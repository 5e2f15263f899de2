// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "spool",
    dependencies: [.package(name: "tapcard", path: "../..")],
    targets: [
        .executableTarget(
            name: "Spool",
            dependencies: [.product(name: "TapcardTags", package: "tapcard")])
    ]
)
