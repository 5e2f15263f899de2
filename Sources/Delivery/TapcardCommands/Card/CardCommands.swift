import Ledger
import StyledText
import TagReading
import TapcardCore
import TapcardDomain
import TextCodecs

extension CommandOption {
    static let card = CommandOption(
        name: "card", value: "UID", help: "Insist on this card; refuse any other",
        completes: .cards,
        page: PageValue(.card)
    )
    static let operation = CommandOption(
        name: "operation", value: "UUID",
        help: "Makes a retry safe: the same id never happens twice",
        page: PageValue(.operation))
    static let again = CommandOption(
        name: "again",
        help: "Do it once more, also where this tap has just settled the same amount",
        page: PageValue(.truth))
    static let confirmed = CommandOption(
        name: "yes",
        help: "Confirm an amount above the station's ceiling, or that money is handed out",
        page: PageValue(.truth, as: "confirmed"))
    static let display = CommandOption(
        name: "display", value: "FORM", help: "What phones read: our form, or the iPhone app's",
        choices: FaceStyle.allCases.map(\.rawValue),
        page: PageValue(.choice(FaceStyle.allCases.map(\.rawValue))))
    static let reissue = CommandOption(
        name: "reissue",
        help:
            "Close the account of a known card, hand out what it holds, and begin a new one on it",
        page: PageValue(.truth)
    )
    static let overwrite = CommandOption(
        name: "overwrite",
        help: "Overwrite a tag that is not one of our cards; it cannot be undone",
        page: PageValue(.truth))
    static let protect = CommandOption(
        name: "protect",
        help: "Protect the tag with a password; without your keys it can never be taken off",
        page: PageValue(.truth))
    static let anyChip = CommandOption(
        name: "any-chip", help: "Take a chip whose maker's signature is not valid",
        page: PageValue(.truth))
}

extension Command {
    static let cardCommands: [Command] = [
        Command(
            "read", group: .cards, "Show a card and settle what was left open on it",
            discussion: "A card with nothing open is only read, with a single radio command.",
            options: [
                CommandOption(name: "watch", help: "Go on, a line a tap, until Ctrl-C"),
                CommandOption(name: "no-settle", help: "Never write, whatever is open"),
            ],
            page: .post("read"), answers: .card,
            example: "tapcard read --watch"
        ) { session throws(TapcardError) in try await session.read() },
        Command(
            "demo", group: .cards, "Write the demo user: Amanda Gonzalez, id 1, balance 0.00",
            options: [
                .confirmed, .display, .protect, .reissue, .overwrite, .anyChip, .operation,
            ],
            page: .post("demo"), answers: .card,
            example: "tapcard --reader sim demo"
        ) { session throws(TapcardError) in
            try await session.make("The demo card is ready") { station throws(Refusal) in
                try CardOrder.demo(in: station.currency).origin
            }
        },
        Command(
            "issue", group: .cards, "Make a card of a blank tag",
            discussion: "Name and id are optional: any phone can read them off the tag.",
            options: [
                CommandOption(
                    name: "name", value: "TEXT", help: "The holder's name",
                    page: PageValue(.text(1...HolderName.longestInBytes))),
                CommandOption(
                    name: "id", value: "N", help: "The holder's number, from 1",
                    page: PageValue(.wholeNumber(1...Int.max))),
                CommandOption(
                    name: "balance", value: "AMOUNT", help: "Funds to begin with, paid in cash",
                    page: PageValue(.amount)),
                CommandOption(
                    name: "no-scratch", help: "A card without a scratch card",
                    page: PageValue(.truth)),
                .confirmed, .display, .protect, .reissue, .overwrite, .anyChip, .operation,
            ],
            page: .post("issue"), answers: .card,
            example: "tapcard issue --name \"Zoë Álvarez\" --id 7 --balance 20"
        ) { session throws(TapcardError) in try await session.issue() },
        Command(
            "adopt", group: .cards, "Take over a card that others wrote",
            discussion: "Its balance counts for nothing unless you name it: then the amount is "
                + "credited against the account \"adopted\".",
            options: [
                CommandOption(
                    name: "accept-balance", value: "AMOUNT",
                    help: "Credit what the tag says, if it says just this",
                    page: PageValue(.amount)),
                .confirmed, .display, .protect, .overwrite, .anyChip, .operation,
            ],
            page: .post("adopt"), answers: .card,
            example: "tapcard adopt --accept-balance 12.50"
        ) { session throws(TapcardError) in
            let accepted = session.command.option("accept-balance")
            return try await session.make("Adopted") { station throws(Refusal) in
                .adopt(
                    accepting: try accepted.map { text throws(Refusal) in
                        try session.settings.amount(text, station.currency)
                    })
            }
        },
        Command(
            "scratch", group: .cards, "Scratch the scratch card: reveal a code and keep it",
            discussion: "Takes two seconds. Ctrl-C before that leaves the card unscratched.",
            options: [.operation], page: .post("scratch"), answers: .card,
            example: "tapcard scratch"
        ) { session throws(TapcardError) in
            let station = try await session.station()
            let receipt = try await station.scratch(id: try session.operation(station))
            let reading = try await station.reading(afterwards: receipt)
            return Report(
                reading, "Scratched", currency: station.currency, isReplayed: receipt.isReplayed)
        },
        Command(
            "activate", group: .cards, "Activate the code of a scratched card",
            discussion: "Asks the activation service. Ctrl-C does not stop the request: it ends "
                + "within 15 seconds, its answer is recorded, and the next tap writes it to the "
                + "card. After a refusal the code is as good as before.",
            options: [.operation], page: .post("activate", asksService: true), answers: .card,
            example: "tapcard activate"
        ) { session throws(TapcardError) in try await session.activate() },
    ]
}

extension Session {
    func read() async throws(TapcardError) -> Report {
        let station: Station
        let isFresh = try self.isFresh
        do {
            station = try await lookingStation()
        } catch {
            // A ledger that is there, but in another currency, is not missing: what a card says
            // would be read as other money.
            guard error.result == .ledger, error.kind != .ledgerCurrency, !command.flag("watch"),
                let report = await readingAlone(error)
            else { throw error }
            return report
        }
        if isFresh {
            say(
                "tapcard: this station is not set up: no seal can be checked. tapcard init "
                    + "--currency EUR makes keys and a ledger.\n")
        }
        let settling = !command.flag("no-settle") && !isFresh
        guard command.flag("watch") else {
            let reading = try await station.read(settling: settling)
            return Report(reading, currency: station.currency, showsChip: isVerbose)
        }
        await station.watch(settling: settling) { event in
            await spinner.stop()
            let isRead = show(event, station.currency)
            // The line that turns comes back with the next wait.
            spinner.show("Hold a card to the reader")
            return isRead
        }
        return Report.nothing.whenStopped
    }

    /// Without its ledger a station still reads what a card says of itself, under a true seal, and
    /// takes no money for it. Nil where that does not work, either.
    private func readingAlone(_ error: TapcardError) async -> Report? {
        do {
            guard let keys = try keyFile.load() else { return nil }
            let currency = try settings.currency ?? keys.currency ?? .usd
            let station = try await station(
                with: InMemoryLedger(currency: currency), KeyRingSource(keyFile, holding: keys))
            let reading = try await station.read(settling: false)
            return Report(reading.withoutLedger(error), currency: currency)
        } catch {
            return nil
        }
    }

    /// One line a tap.
    private func show(_ event: Station.WatchEvent, _ currency: Currency) -> Bool {
        switch event {
        case .card(let reading):
            let report = Report(reading, currency: currency)
            if isJSON { return output.write(document: timed(report.document)) }
            if isQuiet { return true }
            let problem = reading.problem.map { " ! \($0.kind.word): \($0.message)" } ?? ""
            let time = LocalTime.text(surroundings.now())
            let state = reading.stateWord.map { ", \($0)" } ?? ""
            let settled = reading.settled.map { " \($0.words)" }.joined()
            let line = "\(time) \(reading.uid) \(report.lines[0].text)\(state)\(settled)\(problem)"
            return output.write(line.shown + "\n")
        case .problem(let error):
            if isJSON { return output.write(document: timed(Report.document(of: error))) }
            show(error)
            return true
        case .gone, .empty: return true
        case .readerIsBack(let name):
            if isJSON {
                let document: JSONValue = ["result": "done", "reader": .string(name)]
                return output.write(document: timed(document))
            }
            if !isQuiet { say("tapcard: The reader is there again: \(name).\n") }
            return true
        }
    }

    /// A line of a watch says when: nobody can tell afterwards.
    private func timed(_ document: JSONValue?) -> JSONValue {
        let time = JSONMember(key: "at", value: .string(LocalTime.iso(surroundings.now())))
        return .object((document?.members ?? []) + [time])
    }

    func issue() async throws(TapcardError) -> Report {
        let name = command.option("name")
        let id = command.option("id")
        let balance = command.option("balance")
        return try await make("Issued") { station throws(Refusal) in
            let currency = station.currency
            return .issue(
                Holder(
                    id: try id.map { text throws(Refusal) in try HolderID(parsing: text) },
                    name: try name.map { text throws(Refusal) in try HolderName(text) }),
                try balance.map { text throws(Refusal) in try settings.amount(text, currency) }
                    ?? Money(minorUnits: 0, currency),
                hasScratchCard: !command.flag("no-scratch"))
        }
    }

    /// Makes a card of the tag on the reader; the words are checked before a reader is opened.
    func make(
        _ what: String, _ origin: (Station) throws(Refusal) -> CardOrder.Origin
    ) async throws(TapcardError) -> Report {
        let station = try await station()
        let order: CardOrder
        do {
            order = CardOrder(
                try origin(station),
                face: command.option("display").flatMap(FaceStyle.init(rawValue:)) ?? .tapcard,
                mayReissue: command.flag("reissue"), mayOverwrite: command.flag("overwrite"),
                protects: command.flag("protect"), acceptsAnyChip: command.flag("any-chip"))
        } catch {
            throw TapcardError(error)
        }
        if order.protects { sayWhoOpens() }
        let reading = try await station.make(order, id: try operation(station))
        return Report(reading, what, currency: station.currency, showsChip: true)
    }
}
