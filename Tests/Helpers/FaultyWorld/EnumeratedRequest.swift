import Ledger
import Tags
import TapcardCore
package import TapcardDomain

/// A request that moves a card from one state to another, with the world that it needs before.
package struct EnumeratedRequest: Sendable {
    package let name: String
    /// The request.
    package let stationRequest: StationRequest
    private let prepare: @Sendable (RestingWorld) async -> RestingWorld

    private init<Case: UseCase>(
        _ name: String, _ trace: StationRequest.Trace = .id(EnumeratedRequest.id),
        from prepare: @escaping @Sendable (RestingWorld) async -> RestingWorld,
        _ begin: @escaping @Sendable (Scene, Int) -> Case
    ) where Case.Success: Answering {
        self.name = name
        self.prepare = prepare
        stationRequest = StationRequest(name, trace, begin)
    }

    /// Every request. A new operation of tapcard gets its line here.
    package static let all: [EnumeratedRequest] = [
        EnumeratedRequest("pay", from: card) { _, _ in CardChange(.pay(usd(250)), id) },
        EnumeratedRequest("add", from: card) { _, _ in CardChange(.add(usd(200)), id) },
        EnumeratedRequest("scratch", from: card) { _, _ in Scratching(id) },
        EnumeratedRequest("issue", from: blankTag) { _, _ in
            CardMaking(cardRequest(usd(700)), id)
        },
        EnumeratedRequest("adopt", from: foreignCard) { _, _ in
            CardMaking(CardRequest(.adopt(accepting: usd(1_250))), id)
        },
        EnumeratedRequest("activate", from: scratchedCard) { scene, number in
            Activation(id, through: SceneService(scene: scene, number: number))
        },
        EnumeratedRequest("refund", .refund(of: earlierID), from: cardThatPaid) { _, _ in
            Refund(of: earlierID)
        },
        EnumeratedRequest("close", from: card) { _, _ in Closing(id) },
        EnumeratedRequest("replace", from: afterALoss) { _, _ in
            CardMaking(CardRequest(.replace(lostUID)), id)
        },
        EnumeratedRequest("protect", from: card) { _, _ in ProtectionSwitch(on: true, id) },
        EnumeratedRequest("unprotect", from: protectedCard) { _, _ in
            ProtectionSwitch(on: false, id)
        },
        EnumeratedRequest("pay-protected", from: protectedCard) { _, _ in
            CardChange(.pay(usd(250)), id)
        },
        EnumeratedRequest("issue-protected", from: blankTag) { _, _ in
            var request = cardRequest(usd(700))
            request.protects = true
            return CardMaking(request, id)
        },
        EnumeratedRequest("ticket", from: card) { scene, number in
            scene.station(number).purchase(id: id)
        },
        EnumeratedRequest("claim", .only(.claim), from: cardWithTicket) { scene, _ in
            Claiming(wonBy: scene.world)
        },
        EnumeratedRequest("game", from: card) { _, _ in CardChange(.game(game), id) },
        EnumeratedRequest("activate-again", .id(earlierID), from: cardWithoutAnswer) {
            scene, number in
            Activation(earlierID, through: SceneService(scene: scene, number: number))
        },
        EnumeratedRequest("reverse", .refund(of: earlierID), from: loadedCard) { _, _ in
            Refund(of: earlierID)
        },
        EnumeratedRequest("change-keys", from: cardBeforeKeyChange) { _, _ in
            CardChange(.pay(usd(250)), id)
        },
    ]

    /// Requests under the id of another request that want something else.
    package static let payOne = StationRequest("pay 1.00", .id(id)) { _, _ in
        CardChange(.pay(usd(100)), id)
    }
    package static let addSeven = StationRequest("add 7.00", .id(id)) { _, _ in
        CardChange(.add(usd(700)), id)
    }
    package static let replaceAnother = StationRequest("replace another card", .id(id)) { _, _ in
        guard let other = CardUID(bytes: uid.reversed()) else {
            preconditionFailure("seven bytes are a card's number")
        }
        return CardMaking(CardRequest(.replace(other)), id)
    }
    /// The payout of a world's prize under its own id.
    package static func payOut(_ id: UInt8, wonBy world: RestingWorld) -> StationRequest {
        StationRequest(
            "pay the prize out",
            inOneStep: { station throws(TapcardError) in
                try await station.payOutPrize(wonBy: world, id: EnumeratedRequest.number(id)).answer
            })
    }

    /// Whether it puts something onto the tag that fits only on the larger chips.
    package var isShown: Bool { ["ticket", "claim", "game"].contains(name) }

    /// Whether it applies to a card on this chip: an NTAG 424 has no password, and no other
    /// writer's card is on one.
    package func isPlayed(on chip: Chip) -> Bool {
        let onlyOnPages = ["adopt", "protect", "unprotect", "pay-protected", "issue-protected"]
        return chip != .ntag424 || !onlyOnPages.contains(name)
    }

    package static func named(_ name: String) -> EnumeratedRequest? {
        all.first { $0.name == name }
    }

    /// Another request of the same customer, after the first one.
    package static let next = StationRequest("pay 0.70", .id(number(8))) { _, _ in
        CardChange(.pay(usd(70)), number(8))
    }

    /// An operator blocks the card, wherever it is.
    package static let block = StationRequest(
        "block",
        inOneStep: { station throws(TapcardError) in
            guard let uid = CardUID(bytes: uid) else {
                preconditionFailure("seven bytes are a card's number")
            }
            _ = try await Station.change(
                uid, .block, in: station.ledger, dependencies: station.dependencies)
            return Answer()
        })

    /// An operator retires the first key after making a second one. Cards at rest whose records are
    /// all under it would be refused from then on, so it waits until each of them has been seen; a
    /// card in the middle of a change has been.
    package static let retire = StationRequest(
        "keys retire",
        inOneStep: { station throws(TapcardError) in
            do throws(LedgerError) {
                try await station.ledger.write { rows throws(LedgerError) in
                    for card in try rows.cards() {
                        guard try rows.openOperation(on: card.uid) != nil else { return }
                    }
                    try rows.insert(RetiredKey(id: 1, retiredAt: Scene.now))
                }
            } catch {
                throw TapcardError(error)
            }
            return Answer()
        })

    /// A world in which this request comes next.
    package func world(on chip: Chip) async -> RestingWorld {
        await prepare(RestingWorld(EnumeratedRequest.blank(chip, EnumeratedRequest.uid)))
    }

    private static let id = number(7)
    private static let earlierID = number(6)
    private static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    private static let lost: [UInt8] = [0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x01]
}

/// The worlds before the requests.
extension EnumeratedRequest {
    @Sendable private static func blankTag(_ world: RestingWorld) async -> RestingWorld { world }

    @Sendable private static func card(_ world: RestingWorld) async -> RestingWorld {
        await after(world) { scene throws(TapcardError) in
            _ = try await scene.station().make(cardRequest(usd(1_000)), id: number(1))
        }
    }

    @Sendable private static func protectedCard(_ world: RestingWorld) async -> RestingWorld {
        await after(await card(world)) { scene throws(TapcardError) in
            _ = try await scene.station().protect(id: number(2))
        }
    }

    @Sendable private static func scratchedCard(_ world: RestingWorld) async -> RestingWorld {
        await after(await card(world)) { scene throws(TapcardError) in
            _ = try await scene.station().scratch(id: number(2))
        }
    }

    @Sendable private static func loadedCard(_ world: RestingWorld) async -> RestingWorld {
        await after(await card(world)) { scene throws(TapcardError) in
            _ = try await scene.station().add(usd(200), id: earlierID)
        }
    }

    @Sendable private static func cardWithTicket(_ world: RestingWorld) async -> RestingWorld {
        await after(await card(world)) { scene throws(TapcardError) in
            _ = try await scene.station().buyTicket(id: earlierID)
        }
    }

    /// The service has activated the code, and its answer was lost.
    @Sendable private static func cardWithoutAnswer(_ world: RestingWorld) async -> RestingWorld {
        guard let request = named("activate-again")?.stationRequest else {
            preconditionFailure("the request is in the list")
        }
        let before = await scratchedCard(world)
        let steps = await Tap.play(request, in: before).steps
        guard let asking = steps.firstIndex(where: { $0.act == .service }) else {
            preconditionFailure("whoever activates asks the service")
        }
        let fault = Mishap.service(.answerLost)
        return await Tap.play(request, in: before, mishaps: [asking: fault]).world
    }

    private static var game: MastermindGame? {
        MastermindGameID("0123456789abcdef0123456789abcdef").map {
            MastermindGame(id: $0, slots: 4)
        }
    }

    @Sendable private static func cardThatPaid(_ world: RestingWorld) async -> RestingWorld {
        await after(await card(world)) { scene throws(TapcardError) in
            _ = try await scene.station().pay(usd(300), id: earlierID)
        }
    }

    /// The issuer seals with its second key from now on; the next change brings it to the card.
    @Sendable private static func cardBeforeKeyChange(_ world: RestingWorld) async -> RestingWorld {
        var world = await card(world)
        world.ledger.sealingKey = Scene.secondKey
        return world
    }

    /// The lost card is in the ledger, and a blank tag is on the reader.
    @Sendable private static func afterALoss(_ world: RestingWorld) async -> RestingWorld {
        guard let chip = world.memory.model else {
            preconditionFailure("tapcard keeps cards on it")
        }
        let other = await card(RestingWorld(blank(chip, lost)))
        return RestingWorld(world.memory, ledger: other.ledger)
    }

    /// A card as an iPhone app writes it.
    @Sendable private static func foreignCard(_ world: RestingWorld) async -> RestingWorld {
        let json = #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":12.5,"id":1}"#
        let record = NDEFRecord(
            format: .wellKnown, type: Array("T".utf8), payload: Array(json.utf8))
        var world = world
        guard let message = try? NDEFMessage([record]).encoded() else {
            preconditionFailure("the message is a small one")
        }
        var bytes = TLVArea.encoded(message: message)
        bytes += [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        for start in stride(from: 0, to: bytes.count, by: 4) {
            world.tag[UInt8(4 + start / 4)] = Page(bytes[start..<start + 4]) ?? .zero
        }
        return world
    }

    private static func after(
        _ world: RestingWorld, _ request: (Scene) async throws(TapcardError) -> Void
    ) async -> RestingWorld {
        let scene = Scene(world)
        do throws(TapcardError) {
            try await request(scene)
        } catch {
            preconditionFailure("nothing went wrong, and yet: \(error)")
        }
        return scene.world
    }

    private static func cardRequest(_ amount: Money) -> CardRequest {
        guard let id = try? HolderID(1), let name = try? HolderName("Amanda Gonzalez") else {
            preconditionFailure("the holder is a good one")
        }
        return CardRequest(.issue(Holder(id: id, name: name), amount, hasScratchCard: true))
    }

    private static func usd(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, .usd) }

    private static func number(_ number: UInt8) -> OperationID {
        guard let id = OperationID(bytes: [UInt8](repeating: number, count: 16)) else {
            preconditionFailure("16 bytes are an id")
        }
        return id
    }

    private static var lostUID: CardUID {
        guard let uid = CardUID(bytes: lost) else {
            preconditionFailure("seven bytes are a card's number")
        }
        return uid
    }

    private static func blank(_ chip: Chip, _ uid: [UInt8]) -> CardMemory {
        guard let memory = CardMemory(blank: chip, uid: uid) else {
            preconditionFailure("seven bytes are a tag's number")
        }
        return memory
    }
}
