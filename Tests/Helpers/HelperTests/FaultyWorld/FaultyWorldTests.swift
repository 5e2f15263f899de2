import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The world in which faults are enumerated, and the checks that detect what is wrong in it.
@Suite("The world of faults")
struct FaultyWorldTests {
    @Test(
        "An undisturbed request resolves the world and breaks no invariant",
        arguments: EnumeratedRequest.all.map(\.name),
        Chip.allCases)
    func nothingWrong(_ name: String, _ chip: Chip) async throws {
        let request = try #require(EnumeratedRequest.named(name))
        guard request.isPlayed(on: chip) else { return }
        let before = await request.world(on: chip)
        let tap = await Tap.play(request.stationRequest, in: before)
        guard case .done = tap.said else {
            Issue.record("\(tap.said)")
            return
        }
        #expect(tap.violations == [] && tap.world.weak.isEmpty)
        #expect(tap.world.unresolved() == [])
        #expect(await tap.world.broken() == [])
        #expect(request.stationRequest.operation(in: tap.world.ledger)?.state == .committed)

        let again = await Tap.play(request.stationRequest, in: tap.world)
        #expect(again.violations == [] && again.world == tap.world)
        #expect(await tap.world.puttingBack(before.memory) == [])
        #expect(await tap.world.puttingBack(tap.world.memory) == [])
    }

    @Test("The same faults lead to the same world")
    func repeatable() async throws {
        let request = try #require(EnumeratedRequest.named("pay"))
        let world = await request.world(on: .ntag213)
        let mishaps = [6: Mishap.radioAndBack(.torn(.mix(seed: 3)))]
        let first = await Tap.play(request.stationRequest, in: world, mishaps: mishaps)
        let second = await Tap.play(
            request.stationRequest, in: world, mishaps: mishaps, keepsWorlds: true)
        #expect(first.world == second.world && first.steps.count == second.steps.count)
        #expect(second.steps.last?.after == second.world)
    }

    @Test("A page stays weak until a WRITE to it is acknowledged")
    func weakPages() async throws {
        let request = try #require(EnumeratedRequest.named("pay"))
        let world = await request.world(on: .ntag213)
        let whole = await Tap.play(request.stationRequest, in: world)
        let write = try #require(
            whole.steps.firstIndex { if case .write = $0.act { true } else { false } })
        let tap = await Tap.play(
            request.stationRequest, in: world, mishaps: [write: .radio(.torn(.new))])
        let page = try #require(tap.world.weak.keys.first)
        #expect(tap.world.weak.count == 1 && tap.world.tag[page] != world.tag[page])
        #expect(tap.world.decayed(.toOld).tag == world.tag)
        #expect(tap.world.decayed(.toZero).tag[page] == .zero)
        let (resolved, violations) = await tap.world.resolving()
        #expect(resolved.weak.isEmpty && violations == [])
    }

    @Test("The checks detect a world that breaks an invariant")
    func seesFaults() async throws {
        let request = try #require(EnumeratedRequest.named("pay"))
        let before = await request.world(on: .ntag213)
        let paid = await Tap.play(request.stationRequest, in: before).world
        func invariants(_ violations: [Violation]) -> Set<Invariant> {
            Set(violations.map(\.invariant))
        }

        // The old record is put back by another program.
        var old = paid
        old.tag = before.tag
        #expect(invariants(await old.broken()) == [.i11])
        #expect(invariants(await old.resolving().violations).contains(.i7))

        // The ledger has never heard of what lies on the tag.
        var behind = paid
        behind.ledger = before.ledger
        #expect(invariants(await behind.broken()) == [.i4, .display])

        // The service has made another code active than the card's.
        var active = await EnumeratedRequest.named("activate-again")?.world(on: .ntag213) ?? paid
        let own = try #require(active.card?.scratch.code)
        active.active = [own]
        #expect(await active.broken() == [])
        active.active.insert(try #require(ScratchCode(bytes: [UInt8](repeating: 1, count: 16))))
        #expect(invariants(await active.broken()) == [.i9])

        // A tag was written before the ledger had its row.
        var early = RestingWorld(tag: paid.tag)
        #expect(early.touchedTooSoon(since: early) == [])
        early.tag[9] = .zero
        let blank = RestingWorld(tag: paid.tag)
        #expect(invariants(early.touchedTooSoon(since: blank)) == [.i4])

        // Phones read what an open payment would leave.
        let commit = try #require(
            await Tap.play(request.stationRequest, in: before).steps.lastIndex {
                $0.act == .ledgerWrite
            })
        var open = await Tap.play(
            request.stationRequest, in: before, mishaps: [commit: .killedBefore]
        )
        .world
        #expect(await open.broken() == [])
        for page in open.tag.chip.userPages where page < 0x20 { open.tag[page] = paid.tag[page] }
        #expect(invariants(await open.broken()) == [.display])

        // A tag is called protected that has no password, or another one.
        let protected = try #require(
            await EnumeratedRequest.named("unprotect")?.world(on: .ntag213))
        #expect(await protected.broken() == [])
        let settings = try #require(protected.tag.chip.configurationPage)
        for (page, content) in [(settings, before.tag[settings]), (settings + 2, Page.zero)] {
            var altered = protected
            altered.tag[page] = content
            #expect(invariants(await altered.broken()) == [.protection])
            #expect(invariants(altered.unresolved()) == [.protection])
        }
        var unknown = protected
        unknown.ledger = before.ledger
        #expect(invariants(await unknown.broken()).contains(.protection))

        var torn = paid
        torn.tag[9] = before.tag[9]
        torn.tag[10] = .zero
        #expect(invariants(torn.unresolved()) == [.i8])
    }
}

@Suite("The world of faults on an NTAG 424")
struct NTAG424WorldTests {
    private let request = "add"

    @Test("The checks detect wrong keys, settings, grants, addresses and states on the chip")
    func seesFaults() async throws {
        let request = try #require(EnumeratedRequest.named(request))
        let before = await request.world(on: .ntag424)
        let added = await Tap.play(request.stationRequest, in: before).world
        let (old, now) = (try #require(before.chip), try #require(added.chip))
        let factory = NTAG424Memory(factory: now.uid)
        func broken(_ change: (inout NTAG424Memory) -> Void) async -> Set<Invariant> {
            var (world, chip) = (added, now)
            change(&chip)
            world.memory = .chip(chip)
            return Set((await world.broken() + world.unresolved()).map(\.invariant))
        }
        #expect(await broken { _ in } == [])
        #expect(await broken { $0[.four] = factory[.four] } == [.chip])
        #expect(await broken { $0[.one].key = $0[.two].key } == [.chip])
        #expect(await broken { $0[.data].settings = factory[.data].settings } == [.chip])
        #expect(await broken { $0[.ndef].settings = factory[.ndef].settings } == [.chip])
        // The new state is worth more than the earlier grant.
        #expect(await broken { $0[.ndef].bytes = old[.ndef].bytes } == [.chip])
        #expect(await broken { $0[.ndef].bytes[20] ^= 1 } == [.i8])
        #expect(await broken { $0[.data].bytes = old[.data].bytes }.contains(.i11))
    }

    @Test("A forged answer breaks no invariant, and a wrong key is detected")
    func seesCommands() async throws {
        let request = try #require(EnumeratedRequest.named(request))
        var world = await request.world(on: .ntag424)
        let whole = await Tap.play(request.stationRequest, in: world)
        let write = try #require(whole.steps.lastIndex { $0.isWrite })
        let forged = await Tap.play(
            request.stationRequest, in: world, mishaps: [write: .forgedAnswer])
        #expect(forged.violations == [] && forged.world.unresolved() == [])
        #expect(forged.steps.count > whole.steps.count)

        var chip = try #require(world.chip)
        chip[.three].key = chip[.two].key
        world.memory = .chip(chip)
        let copied = await Tap.play(request.stationRequest, in: world)
        #expect(Set(copied.violations.map(\.invariant)) == [.i7, .chip])
        #expect(copied.world.memory == world.memory)
    }
}

/// The answer is compared with the ledger before the tap and after it.
@Suite("The answer of a tap")
struct SaidTests {
    private let error = { (kind: TapcardError.Kind) in TapcardError(kind, "something is wrong") }

    @Test("An answer that denies an open or completed payment counts as untrue")
    func failures() async throws {
        let request = try #require(EnumeratedRequest.named("pay"))
        let before = await request.world(on: .ntag213)
        let whole = await Tap.play(request.stationRequest, in: before)
        let commit = try #require(whole.steps.lastIndex { $0.act == .ledgerWrite })
        let open = await Tap.play(
            request.stationRequest, in: before, mishaps: [commit: .killedBefore]
        )
        .world
        func isTrue(
            _ kind: TapcardError.Kind, _ one: RestingWorld, _ other: RestingWorld
        ) -> Bool {
            Said.failed(error(kind)).broken(
                request.stationRequest, from: one.ledger, to: other.ledger
            )
            .isEmpty
        }
        for kind in [
            TapcardError.Kind.tagLost, .noCard, .ledgerUnavailable, .refusal(.insufficientBalance),
        ] {
            #expect(!isTrue(kind, before, open), "\(kind)")
            #expect(!isTrue(kind, open, whole.world), "\(kind)")
            #expect(isTrue(kind, before, before), "\(kind)")
        }
        #expect(isTrue(.outcomeUnknown, before, open) && isTrue(.outcomeUnknown, open, whole.world))
        #expect(!isTrue(.operationVoided, before, open))
    }
}
