import Ledger
import PortDoubles
import TagReading
import TapcardCore
import TapcardDomain
import Testing

/// A reader that passes on READ and WRITE only cannot ask a tag what chip it is.
@Suite("A reader that cannot ask a tag what it is")
struct UnsupportedReaderTests {
    private func station(_ reader: ScriptedReader) throws -> Station {
        World(try World.blank()).station(reader: reader)
    }

    @Test("makes no card, sends nothing more, and is named as the reason")
    func makesNoCard() async throws {
        let reader = ScriptedReader([
            .tag(TagIdentity(uid: World.otherUID)), .failure(.unsupported),
        ])
        let station = try station(reader)
        let order = CardOrder(
            .issue(try World.holder("Amanda Gonzalez"), World.usd(1), hasScratchCard: true))
        let error = await #expect(throws: TapcardError(.unsupportedReader, "")) {
            try await station.make(order, id: World.id(1))
        }
        #expect(error?.result == .noReader)
        #expect(error?.what.contains("This reader cannot ask a tag what chip it is") == true)
        #expect(reader.trace.filter { !$0.isEmpty } == [[0x60]])
        let operation = try await station.ledger.operation(World.id(1))
        #expect(operation == nil)
    }
}
