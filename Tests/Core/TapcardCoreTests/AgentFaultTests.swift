import Ledger
import PortDoubles
import RemoteReader
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("A reader driven by an agent")
struct AgentFaultTests: ProvenCards {
    @Test("A payment takes only four commands", arguments: Type2Chip.known)
    func commands(_ chip: Type2Chip) async throws {
        let world = try await World.withCard(chip)
        let relay = AgentRelay()
        let sent = try await relay.serving(world.reader) {
            // The agent attaches its reader, and then polls.
            while relay.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
            let before = relay.count
            _ = try await world.station(reader: relay.reader).pay(World.usd(250), id: World.id(7))
            return relay.count - before
        }
        // The first command waits for a card, so that it takes a poll and a report. Each of the
        // others takes an exchange.
        #expect(sent == 5)
    }

    @Test(
        "A fault on the line never causes a wrong outcome, and the next tap resolves what is open",
        arguments: [.pay, .add, .issueProtected, .payProtected].map(FarRequest.pages)
            + FarRequest.onNTAG424, AgentRelay.Fault.allCases)
    func faults(_ request: FarRequest, _ fault: AgentRelay.Fault) async throws {
        for message in 1... {
            let world = try await request.world()
            let relay = AgentRelay()
            let label: Comment = "\(request), \(fault) at message \(message)"
            let isOver = try await relay.serving(world.reader) {
                let before = relay.count
                relay.arrange(fault, at: message)
                let hasFailed =
                    await outcome { () throws(TapcardError) in
                        try await request.perform(relay.reader, in: world)
                    }.isSuccess == false
                let isOver = relay.count - before < message
                #expect(try await request.isCommitted(in: world) == !hasFailed, label)
                // A message that is lost only once is resent.
                if isOver || !fault.isLasting { #expect(!hasFailed, label) }
                relay.mend()
                await relay.untilAttached()
                try await request.expectOne(
                    afterFailure: hasFailed, relay.reader, in: world, label)
                return isOver
            }
            if isOver {
                #expect(message > 5)
                return
            }
        }
    }
}
