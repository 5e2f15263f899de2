import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<DrawID> {
    fileprivate static var id: Self { .argument("ID", .draw, "Draw, as listed by `tapcard draws`") }
}

extension Parameter<Bool> {
    fileprivate static var forget: Self {
        .flag("forget", "Discard the saved list after the lottery has been reset", page: .never)
    }
    fileprivate static var next: Self {
        .flag("next", "Show the draw after ID instead", page: .never)
    }
    fileprivate static var previous: Self {
        .flag("previous", "Show the draw before ID instead", page: .never)
    }
}

extension Command {
    static let drawCommands: [Command] = [
        Command(
            "draws", group: .lottery, "List the lottery's draws, newest first",
            discussion: "Before first use, confirm the service's address with `tapcard config set "
                + "lottery-url ADDRESS`. If the service is offline, the last good list is shown "
                + "with its age. A list that does not reach the newest known draw is rejected; if "
                + "the lottery really has been reset, use `--forget`.",
            takes: .forget, asks: .lotteryURL, page: .get("draws", reader: .never, for: .sellers),
            answers: .draws,
            example: "tapcard draws", run: DrawCommands.list),
        Command(
            "draws show", group: .lottery, "Show one draw and name the ones before and after it",
            takes: .id, .next, .previous,
            asks: .lotteryURL, page: .get("draws", .id, reader: .never, for: .sellers),
            answers: .draw,
            example: "tapcard draws show draw-1 --next", run: DrawCommands.show),
    ]
}

/// A draw with its top prize in the station's currency.
struct PricedDraw: DocumentedObject {
    let draw: Draw
    let topPrize: Money

    static let fields: Fields<PricedDraw> = [
        "id": .of(\.draw.id), "date": .of(\.draw.date), "balls": .of(\.draw.balls.numbers),
        "bonus": .of(\.draw.balls.bonus), "topPrize": .of(\.topPrize),
    ]
}

extension Draw {
    fileprivate var words: String { "\(id) of \(date)" }
}

enum DrawCommands {
    static func list(in session: Session) async throws(TapcardError) -> Report {
        let fetched = try await LotteryFetcher(session).draws(forgetting: session[.forget])
        // A list that could not be deleted would be used again, so `--forget` has failed.
        if let reason = fetched.cacheRemovalError {
            throw TapcardError(
                .fileUnusable, "The cached list of draws could not be deleted: \(reason).",
                meaning: "Any cached list was kept.",
                advice: "Get permission to write to the cache folder, then run the command again.")
        }
        let priced = try await withTopPrizes(fetched.value.draws, in: session)
        let layout = LotteryLayout(session.console)
        return Report(
            AnswerAge(fetched),
            ["draws": priced.document],
            lines: priced.isEmpty
                ? ["No draw has taken place yet."] : layout.table(of: priced), layout,
            isPlain: true)
    }

    static func show(in session: Session) async throws(TapcardError) -> Report {
        let (showsNext, showsPrevious) = (session[.next], session[.previous])
        guard !showsNext || !showsPrevious else {
            throw TapcardError.usage(
                "You cannot use --next and --previous together.",
                advice: "Use only one of them.")
        }
        let named = session[.id]
        let fetched = try await LotteryFetcher(session).draws()
        let list = fetched.value
        guard let start = list[named] else {
            throw TapcardError(
                .refusal(list.draws.isEmpty ? .noDrawKnown : .noSuchDraw),
                "There is no draw \(named) in the list of draws.",
                meaning: "Nothing was done.",
                next: [.lottery(.showDraws)])
        }
        let wanted =
            showsNext
            ? list.next(after: named) : showsPrevious ? list.previous(before: named) : start
        guard let draw = wanted else {
            throw TapcardError(
                .refusal(.noSuchDraw),
                showsNext
                    ? "There is no draw after \(named), the newest one in the list."
                    : "There is no draw before \(named), the oldest one in the list.",
                meaning: "Nothing was done.")
        }
        let priced = try await withTopPrizes([draw], in: session)[0]
        let layout = LotteryLayout(session.console)
        let (next, previous) = (list.next(after: draw.id), list.previous(before: draw.id))
        return Report(
            AnswerAge(fetched),
            ["draw": priced.document, "next": .text(next?.id), "previous": .text(previous?.id)],
            lines: [Line("Draw \(draw.words)", .title)] + layout.large(draw.balls)
                + [
                    Line("Top prize: \(priced.topPrize.shown)"),
                    Line("Next: \(next?.words ?? "none yet, this is the newest")"),
                    Line("Previous: \(previous?.words ?? "none, this is the oldest")"),
                ], layout, isPlain: true)
    }

    private static func withTopPrizes(
        _ draws: [Draw], in session: Session
    ) async throws(TapcardError) -> [PricedDraw] {
        // Draws need no ledger, so they are shown even if the ledger fails.
        let currency = try session.settings.currency(
            of: (try? await session.existingLedger()) ?? nil)
        let unit = try session.settings.topPrizeUnit
        return draws.map { PricedDraw(draw: $0, topPrize: unit.money($0.topPrize, currency)) }
    }
}
