import SimulatedReader
import Tags
import Testing

@Suite("Pages whose programming was cut off")
struct TornPageTests {
    private func page(_ bits: UInt32) -> Page {
        Page(
            UInt8(truncatingIfNeeded: bits >> 24), UInt8(truncatingIfNeeded: bits >> 16),
            UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits))
    }

    /// The content of a page after a torn write of the new bits over the old ones.
    private func left(
        _ torn: TornPage, old: UInt32, new: UInt32, at number: UInt8 = 0x10
    ) async throws -> Page {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        _ = try await reader.select(within: .zero)
        _ = try await reader.exchange(Type2Command.write(number, page(old)).frame)
        try await reader.change { $0.fault = Fault(at: 1, counting: .write, .torn(torn)) }
        await #expect(throws: ReaderError(.tagLost)) {
            try await reader.exchange(Type2Command.write(number, page(new)).frame)
        }
        let world = try await reader.change { $0 }
        #expect(world.onReader.isEmpty && world.fault == nil)
        return try #require(world.tag(FieldWorld.uid))[number]
    }

    @Test(
        "A torn page holds exactly the bits that its fault leaves",
        arguments: [
            (.unchanged, 0xF0F0_1234), (.new, 0x8FF0_4321), (.zero, 0),
            (.lowestOnes(0), 0), (.lowestOnes(1), 0x0000_0001), (.lowestOnes(3), 0x0000_0121),
            (.lowestOnes(32), 0x8FF0_4321), (.highestOnes(0), 0), (.highestOnes(1), 0x8000_0000),
            (.highestOnes(3), 0x8C00_0000), (.highestOnes(32), 0x8FF0_4321),
            (.erasedToLowestOnes(0), 0), (.erasedToLowestOnes(2), 0x0000_0014),
            (.erasedToLowestOnes(32), 0xF0F0_1234), (.erasedToHighestOnes(0), 0),
            (.erasedToHighestOnes(5), 0xF080_0000), (.erasedToHighestOnes(32), 0xF0F0_1234),
        ] as [(TornPage, UInt32)])
    func exactBits(torn: TornPage, bits: UInt32) async throws {
        #expect(try await left(torn, old: 0xF0F0_1234, new: 0x8FF0_4321) == page(bits))
    }

    @Test("A torn page has as many ones as its fault leaves, down to none")
    func everyCount() async throws {
        let (old, new): (UInt32, UInt32) = (0xF0F0_1234, 0x8FF0_4321)
        var (low, high, erasedLow, erasedHigh) = (new, new, old, old)
        for count in (0...32).reversed() {
            // As many ones as are asked for, if there are as many.
            while low.nonzeroBitCount > count {
                low &= ~(1 << UInt32(31 - low.leadingZeroBitCount))
            }
            while high.nonzeroBitCount > count { high &= high - 1 }
            while erasedLow.nonzeroBitCount > count {
                erasedLow &= ~(1 << UInt32(31 - erasedLow.leadingZeroBitCount))
            }
            while erasedHigh.nonzeroBitCount > count { erasedHigh &= erasedHigh - 1 }
            #expect(try await left(.lowestOnes(count), old: old, new: new) == page(low))
            #expect(try await left(.highestOnes(count), old: old, new: new) == page(high))
            #expect(
                try await left(.erasedToLowestOnes(count), old: old, new: new) == page(erasedLow))
            #expect(
                try await left(.erasedToHighestOnes(count), old: old, new: new) == page(erasedHigh))
        }
    }

    /// The mask of the new bits is the lower half of SplitMix64's first number.
    @Test(
        "A torn page can mix old and new bits, and its seed decides which",
        arguments: [(0, 0x7B1D_CDAF), (1, 0x8902_5CC1)] as [(UInt64, UInt32)])
    func mix(seed: UInt64, mask: UInt32) async throws {
        #expect(try await left(.mix(seed: seed), old: 0, new: .max) == page(mask))
        #expect(try await left(.mix(seed: seed), old: .max, new: 0) == page(~mask))
        let (old, new): (UInt32, UInt32) = (0x1234_5678, 0x9ABC_DEF0)
        let bits = old & ~mask | new & mask
        #expect(try await left(.mix(seed: seed), old: old, new: new) == page(bits))
    }

    @Test(
        "Any user page can be torn, from first to last",
        arguments: [0x04, 0x1F, 0x20, 0x27] as [UInt8])
    func userPages(number: UInt8) async throws {
        #expect(try await left(.zero, old: 1, new: .max, at: number) == .zero)
    }

    @Test(
        "The settings, the password and PACK can be torn",
        arguments: [
            (0x29, Page(4, 0, 0, 0x80)), (0x2A, Page(0x10, 5, 0, 0)), (0x2B, Page(1, 2, 3, 4)),
            (0x2C, Page(5, 6, 0, 0)),
        ] as [(UInt8, Page)])
    func settings(number: UInt8, content: Page) async throws {
        for (torn, left) in [(.zero, .zero), (.new, content), (.unchanged, nil)]
            as [(TornPage, Page?)]
        {
            let reader = try await SimulatedFaultTests.bench(
                Fault(at: 1, counting: .write, .torn(torn)))
            let before = try FieldWorld.tag()[number]
            await #expect(throws: ReaderError(.tagLost)) {
                try await reader.exchange(Type2Command.write(number, content).frame)
            }
            let after = try await reader.change { $0.tags[0] }
            #expect(after[number] == left ?? before)
        }
    }

    @Test("A tag with a torn password is opened by what remains of the password")
    func tornPassword() async throws {
        let reader = try await SimulatedFaultTests.bench(
            Fault(at: 1, counting: .write, .torn(.lowestOnes(1))))
        _ = try? await reader.exchange(Type2Command.write(0x2B, Page(1, 2, 3, 4)).frame)
        try await reader.change { $0.put([FieldWorld.uid]) }
        _ = try await reader.select(within: .zero)
        await #expect(throws: ReaderError(.refused(0))) {
            try await reader.exchange(Type2Command.authenticate([1, 2, 3, 4]).frame)
        }
        _ = try await reader.select(within: .zero)
        let pack = try await reader.exchange(Type2Command.authenticate([0, 0, 0, 4]).frame)
        #expect(pack == [0, 0])
    }

    @Test(
        "A page of lock bits is written whole even if a fault tears it",
        arguments: [
            (0x02, Page(0, 0, 0, 1)), (0x03, Page(0, 0, 0, 0x0F)), (0x28, Page(1, 0, 0, 0)),
        ] as [(UInt8, Page)])
    func otherPages(number: UInt8, content: Page) async throws {
        let whole = SimulatedReader(try FieldWorld.oneTag())
        _ = try await whole.select(within: .zero)
        _ = try await whole.exchange(Type2Command.write(number, content).frame)
        for torn in FieldWorld.tornPages {
            let reader = try await SimulatedFaultTests.bench(
                Fault(at: 1, counting: .write, .torn(torn)))
            await #expect(throws: ReaderError(.tagLost)) {
                try await reader.exchange(Type2Command.write(number, content).frame)
            }
            #expect(try await reader.change { $0.tags } == whole.change { $0.tags })
        }
    }

    @Test("A frame that writes nothing tears no page")
    func noWrite() async throws {
        for frame in [Type2Command.read(4), .write(0x00, .zero), .getVersion].map(\.frame) {
            let reader = try await SimulatedFaultTests.bench(
                Fault(at: 1, counting: .frame, .torn(.zero)))
            await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange(frame) }
            let tags = try await reader.change { $0.tags }
            #expect(tags == [try FieldWorld.tag()])
        }
    }
}
