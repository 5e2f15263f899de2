import TestSupport
import Testing

/// The card leaves or the radio fails at each WRITE of a payment by the built program over the real
/// libnfc. Whatever the program then reports is true, and the next tap resolves the payment.
@Suite("Radio faults during a payment over libnfc", .ownThread)
struct FieldFaultTests {
    private static let faults = [
        "lost", "torn mix 1", "torn zero", "torn old", "torn new", "acknowledge-lost",
        "pulled-after", "garbled", "refused 0", "refused 1", "refused 4", "refused 5",
    ]

    @Test(
        "A payment disturbed at any WRITE is reported truthfully and resolved",
        arguments: Thoroughness.some(faults, of: 4))
    func everyWrite(fault: String) throws {
        try FieldTill().disturb("write", with: fault, atLeast: 7)
    }

    @Test(
        "An NTAG 424 payment disturbed at any command is reported truthfully and resolved",
        arguments: Thoroughness.some(["lost", "torn old", "torn new", "acknowledge-lost"], of: 2))
    func everyCommand(fault: String) throws {
        try FieldTill(chip: "NTAG424").disturb("frame", with: fault, atLeast: 6)
    }

    @Test(
        "A payment disturbed at any frame is reported truthfully and resolved", .checkOnly,
        arguments: ["lost", "garbled", "refused 1"])
    func everyFrame(fault: String) throws {
        try FieldTill().disturb("frame", with: fault, atLeast: 10)
    }
}

/// A till over libnfc whose one-dollar payments are disturbed one after another.
final class FieldTill {
    /// More than any payment has WRITEs, frames or commands.
    private static let mostPlaces = 80

    let station: EmulatedTill
    /// In cents, as the last undisturbed tap showed it.
    private(set) var balance = 20_000
    private(set) var statuses: Set<Int32> = []

    /// Uses a new tag of this chip, or the tag of every fresh reader where none is named.
    init(link: Bool = false, chip: String? = nil) throws {
        station = try EmulatedTill(link: link)
        if let chip { station.tell("present \(chip)") }
        try station.till.step("issue --balance 200")
    }

    /// Pays with the fault at one place after another, up to the first that is not reached.
    func disturb(
        _ counted: String, with fault: String, atLeast least: Int,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        var met = 0
        for number in 1...Self.mostPlaces {
            station.tell("fault \(counted) \(number) \(fault)")
            let isMet = try payAndResolve("\(fault) at \(counted) \(number)", at: location)
            if !isMet { break }
            met += 1
        }
        #expect(met >= least, sourceLocation: location)
        #expect(met < Self.mostPlaces, sourceLocation: location)
        try expectConsistent()
    }

    /// Pays under the armed fault, then taps undisturbed. Returns whether the payment reached the
    /// fault.
    @discardableResult
    func payAndResolve(
        _ what: Comment, at location: SourceLocation = #_sourceLocation
    ) throws -> Bool {
        func isArmed() -> Bool { !station.tell("status").contains(#""faults":[]"#) }
        var ended = try station.till.run(["pay", "1", "--timeout", "0"])
        // The fault has not come: on a busy machine the played reader was too slow for libnfc.
        for _ in 0..<Till.mostTries where ended.isWithoutReader && isArmed() {
            ended = try station.till.run(["pay", "1", "--timeout", "0"])
        }
        statuses.insert(ended.status)
        let wasSpared = isArmed()
        if station.tell("status").contains(#""plugged":false"#) { station.tell("plug") }
        station.tell("resume")
        station.tell("present")
        guard !wasSpared else {
            // Nothing disturbed it: it was done.
            #expect(ended.status == 0, what, sourceLocation: location)
            balance -= 100
            return false
        }
        let read = try station.till.runPatiently("read --json")
        #expect(read.status == 0, "\(what): \(read.output)", sourceLocation: location)
        let resolved = try cents(in: read.output)
        #expect(
            resolved == balance || resolved == balance - 100, what, sourceLocation: location)
        // A success is never claimed that did not happen, and what was refused did not happen.
        if ended.status == 0 {
            #expect(resolved == balance - 100, what, sourceLocation: location)
        } else if ended.status != 6 {
            #expect(resolved == balance, "\(what): \(ended.errors)", sourceLocation: location)
        }
        balance = resolved
        return true
    }

    func expectConsistent() throws {
        station.tell("fault none")
        let audit = try station.till.step("audit --json")
        #expect(audit.contains(#""open":0,"violations":[]"#), "\(audit)")
    }

    private func cents(in document: String) throws -> Int {
        let match = try #require(document.firstMatch(of: /"balance":"(\d+)\.(\d\d)"/))
        return try #require(Int(match.output.1 + match.output.2))
    }
}
