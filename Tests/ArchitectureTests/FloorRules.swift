/// Which targets may import which. Package.swift lists the dependencies of each target; these rules
/// cover whole floors and the system's modules, which no manifest names.
struct FloorRules {
    let manifest: Manifest

    /// The other floors that each floor stands on.
    private static let below: [String: Set<String>] = [
        "Libraries": [],
        "Support": ["Libraries"],
        "Domain": [],
        "Card": ["Domain", "Support", "Libraries"],
        "Readers": ["Card", "Domain", "Support", "Libraries"],
        "Ledgers": ["Domain", "Support", "Libraries"],
        "Services": ["Domain", "Support", "Libraries"],
        "Core": ["Domain", "Card", "Ledgers", "Support"],
        "Delivery": [
            "Core", "Domain", "Card", "Readers", "Ledgers", "Services", "Support", "Libraries",
        ],
    ]
    /// The one target that knows every driver.
    private static let executable = "tapcard"
    /// The library product for programs that use tags. It includes the reader drivers.
    private static let tagProduct = (name: "TapcardTags", floor: "Readers")
    /// Pure targets that tell people what is known about readers, and that speak with the agents
    /// that drive them.
    private static let knownToDelivery: Set = ["ReaderDiagnosis", "RemoteReader"]
    /// The bridge may use an HTTP driver: it posts events itself, and no station depends on it.
    private static let bridge = (name: "Bridge", driver: "RemoteServices")
    /// The system's header may be imported by many targets, any other C library by only one.
    private static let sharedLibrary = "CLinux"

    /// Targets on one floor that must not know each other: alternative deliveries, and drivers for
    /// the same purpose.
    private static let unrelatedTargets: [Set<String>] = [
        ["TillServer", "CommandLine"], ["CustomerServer", "CommandLine"],
        ["SQLiteLedger", "PostgreSQLLedger"], ["LibNFCReader", "PCSCReader"],
    ]

    /// The chips and their protocols, the only part of the Card floor that readers may import.
    private static let chips = "Tags"

    /// Targets that wrap the system for the others.
    private static let wrappers: Set = ["BlockingLane", "OperatingSystem"]
    /// Targets that use wrappers but nothing of the system itself.
    private static let withoutSystem: Set = ["ServiceSandbox", "StationFiles", "TillServer"]
    private static let withThreads: Set = ["BlockingLane", "LibNFCReader", executable]

    /// The library for other programs; its time, randomness and storage are parameters.
    private var core: Set<String> { manifest.targets(ofProduct: "TapcardCore") }

    /// Dependencies that the manifest must not have.
    var violations: [String] {
        manifest.rooms.flatMap { room in
            room.imports.compactMap(manifest.target).filter { !allows(room, importing: $0) }
                .map { "\(room.name) must not depend on \($0.name)" }
        }
    }

    private func allows(_ room: Manifest.Target, importing other: Manifest.Target) -> Bool {
        guard let floor = room.floor, let below = Self.below[floor], let its = other.floor else {
            return false
        }
        if its == "Libraries", other.name != Self.sharedLibrary {
            return manifest.rooms.count { $0.imports.contains(other.name) } == 1
        }
        guard its != floor else { return !Self.unrelatedTargets.contains([room.name, other.name]) }
        let isDriver =
            ["Readers", "Ledgers", "Services"].contains(its) && !core.contains(other.name)
            && !(floor == "Delivery" && Self.knownToDelivery.contains(other.name))
        let mayDrive =
            room.name == Self.executable
            || (room.name, other.name) == Self.bridge || (room.name, its) == Self.tagProduct
        return below.contains(its) && (!isDriver || mayDrive)
            // Readers know chips, and nothing of cards.
            && (floor != "Readers" || its != "Card" || other.name == Self.chips)
    }

    /// Whether a target sees only what it is given: no clock, no randomness, no files.
    func isPure(_ room: Manifest.Target) -> Bool {
        !mayUseSystem(room) && !Self.withoutSystem.contains(room.name)
    }

    private func mayUseSystem(_ room: Manifest.Target) -> Bool {
        let isNear = room.imports.contains {
            Self.wrappers.contains($0) || manifest.target($0)?.floor == "Libraries"
        }
        return !core.contains(room.name) && !Self.withoutSystem.contains(room.name)
            && (Self.wrappers.contains(room.name) || isNear)
    }

    /// Whether a file must be pure although another part of its target uses the system.
    private func isPure(_ file: SourceTree.File) -> Bool {
        switch file.target {
        case "ReaderDiagnosis": !file.path.contains("/USB/")
        case "SimulatedReader": file.path.contains("/Field/")
        default: false
        }
    }

    private func isOfSystem(_ module: String) -> Bool {
        module == "Glibc" || Self.wrappers.contains(module)
            || manifest.target(module)?.floor == "Libraries"
    }

    /// The imports that a file must not have.
    func violations(in file: SourceTree.File) -> [String] {
        guard let room = manifest.target(file.target) else {
            return ["\(file): Package.swift has no target \(file.target)"]
        }
        return file.imports.filter { module in
            switch module {
            case _ where isPure(file) && isOfSystem(module): true
            // The standard library is named only to reach a part of it.
            case "Swift": false
            case "Glibc": !mayUseSystem(room)
            case "Dispatch": !Self.withThreads.contains(room.name)
            default: !room.imports.contains(module)
            }
        }.map { "\(file): \(room.name) must not import \($0)" }
    }
}
