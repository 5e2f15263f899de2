import TestSupport
import Testing

/// A card on an NTAG 424 gets a code, a ticket and a game from the three services, and is pulled
/// away in between.
@Suite("An NTAG 424 card and the services", .ownThread)
struct ProvenCardServicesTests {
    /// Every ticket wins five dollars.
    private static let variables = [
        "TAPCARD_JSON": "true", "TAPCARD_PRIZES": "6=5 5=5 4=5 3=5 2=5 1=5 0=5",
    ]

    private func till() throws -> Till {
        let till = try Till(Self.variables)
        try till.step("sim put NTAG424")
        try till.step("issue --balance 20")
        return till
    }

    /// The card leaves at this WRITE; the outcome is unknown, and the next tap resolves it.
    private func pulled(
        _ line: String, _ fault: String, _ services: PlayedServices, _ till: Till,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        try till.step("sim tear \(fault)")
        let ended = try services.run(line)
        #expect(ended.status == 6, "\(line): \(ended)", sourceLocation: location)
        #expect(
            ended.output.contains(#""result":"unknown""#), "\(ended)", sourceLocation: location)
        try till.step("sim put")
    }

    @Test(
        "A card pulled at each step is scratched, activated and paid its prize exactly once",
        arguments: ["lost", "acknowledge-lost"])
    func ticket(fault: String) throws {
        let till = try till()
        let services = try PlayedServices(till)
        try pulled("scratch", "1 \(fault)", services, till)
        let scratched = try till.step("read")
        #expect(scratched.contains(#""state":"scratched""#), "\(scratched)")
        let code = try till.operation(
            in: String(try #require(scratched.firstMatch(of: /"code":"[^"]+"/)).output))
        #expect(try till.run(["scratch"]).status == 4)

        try pulled("activate", "1 \(fault)", services, till)
        #expect(try till.step("read").contains(#""state":"activated""#))
        #expect(try services.codes == [code])
        #expect(try services.run("activate").output.contains(#""error":"wrong-state""#))

        let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        try pulled("ticket buy --operation \(id)", "1 \(fault)", services, till)
        let resolved = try till.step("read")
        // Of a ticket the card shows whether it was bought; the request is repeated as it was.
        let isBought = fault == "acknowledge-lost"
        #expect(resolved.contains(#""balance":"\#(isBought ? "18.00" : "20.00")""#), "\(resolved)")
        let again = try services.run("ticket buy --operation \(id)")
        #expect(again.status == (isBought ? 0 : 4), "\(again)")
        if !isBought { try services.step("ticket buy") }
        #expect(
            try till.step("history").matches(of: /"kind":"ticket"/).count == (isBought ? 1 : 2))

        let checked = try services.step("ticket check")
        let ticket = String(
            try #require(checked.firstMatch(of: /"(ticket-[0-9a-f]{12})"/)).output.1)
        #expect(try services.run("ticket claim").output.contains(#""error":"nothing-won""#))
        try services.draw()
        #expect(try services.step("tickets").contains(ticket))
        try pulled("ticket claim", "1 \(fault)", services, till)
        #expect(try till.step("read").contains(#""balance":"23.00""#))
        _ = try services.run("ticket claim")
        let read = try till.step("read")
        #expect(read.contains(#""balance":"23.00""#) && read.contains(code))
        #expect(try till.step("history").matches(of: /"kind":"claim"/).count == 1)
        #expect(try services.codes == [code])
        #expect(try till.step("audit").contains(#""open":0,"violations":[]"#))
    }

    @Test("A game kept on a card survives a pulled card and a payment, and is solved")
    func game() throws {
        let till = try till()
        let services = try PlayedServices(till)
        try services.step("mastermind login amanda")
        #expect(try services.run("mastermind resume").status == 4)
        try till.step("sim tear 1 lost")
        let pulled = try services.run("mastermind start --slots 4 --keep")
        #expect(pulled.status != 0, "\(pulled)")
        try till.step("sim put")
        // The game has begun; whether the card has it, its next tap knows.
        let begun = try services.step("mastermind show")
        let id = String(try #require(begun.firstMatch(of: /"game":"([0-9a-f]{32})"/)).output.1)
        #expect(try till.step("read").contains(id))
        try services.step("mastermind start --slots 6")
        #expect(try services.step("mastermind resume").contains(id))
        try till.step("pay 4.50")

        var left = Self.codes(of: 4)
        var guesses = 0
        while let guess = left.first {
            guesses += 1
            let line = "mastermind guess " + guess.map { "\($0)" }.joined()
            let answer = try services.step(line)
            let pegs = try #require(answer.firstMatch(of: /"black":(\d),"white":(\d)/))
            let (black, white) = (Int(pegs.output.1), Int(pegs.output.2))
            if black == 4 { break }
            left.removeAll { Self.pegs(guess, $0) != [black, white] }
        }
        let solved = try services.step("mastermind resume")
        #expect(solved.contains(id) && solved.contains(#""solved":true"#), "\(solved)")
        #expect(solved.contains(#""guesses":\#(guesses)"#), "\(solved)")
        #expect(try services.step("mastermind ranking --slots 4").contains("amanda"))
        let read = try till.step("read")
        #expect(read.contains(id) && read.contains(#""balance":"15.50""#))
        #expect(try till.step("history").matches(of: /"kind":"game"/).count == 1)
        #expect(try till.step("audit").contains(#""open":0,"violations":[]"#))
    }

    /// All codes of six colors.
    private static func codes(of slots: Int) -> [[Int]] {
        (0..<slots).reduce([[]]) { codes, _ in
            codes.flatMap { code in (1...6).map { code + [$0] } }
        }
    }

    /// The pegs for a guess: black and white.
    private static func pegs(_ guess: [Int], _ code: [Int]) -> [Int] {
        let black = zip(guess, code).count { $0 == $1 }
        let common = (1...6).reduce(0) { sum, color in
            sum + min(guess.count { $0 == color }, code.count { $0 == color })
        }
        return [black, common - black]
    }
}
