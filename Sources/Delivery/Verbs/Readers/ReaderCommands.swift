import Ledger
import OperatingSystem
import ReaderDiagnosis
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let readerCommands: [Command] = [
        Command(
            "readers", group: .readers, "List the readers connected to this machine",
            discussion: "No reader is opened. A serial port is marked \"maybe\" because only "
                + "opening it would show whether a PN532 is connected. If there are readers but "
                + "none can be used, the exit status is 5.",
            answers: .readers, example: "tapcard readers", run: ReaderCommands.readers),
        Command(
            "doctor", group: .readers, "Find out why tapcard or a reader is not working",
            discussion: "The command tries up to eight readers until one responds (or just the one "
                + "you specify). It also checks the ledger and the keys and, on a till's machine, "
                + "the way to each saved server (name, port, proxy, certificate, clocks), and "
                + "whether the server accepts the reader. It never writes to a tag. Each finding "
                + "is marked ok, note, or problem; problems come with steps to fix them. The exit "
                + "status is 5 if no reader can be used, 9 for a ledger problem, 8 for a problem "
                + "with a server, and 1 for a key problem.",
            page: .get("doctor", for: .sellers), answers: .findings, example: "tapcard doctor",
            run: ReaderCommands.doctor),
    ]
}

enum ReaderCommands {
    static func readers(in session: Session) async throws(TapcardError) -> Report {
        let (settings, outputOptions) = (session.settings, session.outputOptions)
        let found = await session.drivers.readers.survey(naming: settings.reader).rows
        let rows = found + [ReaderRow.simulated]
        // A list without a real reader is not a failure, because the simulated reader works.
        let isUsable =
            settings.readerIsSimulated || found.isEmpty || found.contains(where: \.isUsable)
        if found.isEmpty, !settings.readerIsSimulated, !outputOptions.isJSON, !outputOptions.isQuiet
        {
            session.say(
                "tapcard: No reader is connected except the simulated one; to see what was looked "
                    + "for, run tapcard doctor.\n")
        }
        let names = rows.map(\.shownName.cellCount).max() ?? 0
        let makes = rows.map(\.make.escapedForOneLine.cellCount).max() ?? 0
        let drivers = rows.map(\.driver.cellCount).max() ?? 0
        return Report(
            ["readers": rows.document],
            rows.map {
                $0.shownName.padded(names) + "  " + $0.make.escapedForOneLine.padded(makes) + "  "
                    + $0.driver.padded(drivers) + "  " + $0.state.text.escapedForOneLine
            },
            problem: isUsable
                ? nil
                : TapcardError(.noReader, "No usable NFC reader was found."), isPlain: true)
    }

    static func doctor(in session: Session) async throws(TapcardError) -> Report {
        let settings = session.settings
        let survey = await session.drivers.readers.survey(naming: settings.reader)
        // The survey covers only real readers.
        var findings = settings.readerIsSimulated ? [] : survey.findings(about: settings.reader)
        var live: LiveCheck?
        for name in candidates(survey, findings, settings) {
            let check = try await LiveCheck.run(on: name, survey, in: session)
            findings += check.findings
            live = check
            if check.hasAnswered { break }
        }
        let answered = live?.hasAnswered ?? false
        // What this machine's readers and files are like says nothing about the till's machine.
        if settings.readerIsRemote, !answered { findings = [remoteReaderFinding] }
        let noReader = TapcardError(
            .noReader, "No usable NFC reader was found.",
            advice: "Follow the steps shown above, or use the simulated reader: --reader sim")
        let ledgerProblem: TapcardError?
        do throws(TapcardError) {
            let found = try await ledgerFindings(in: session)
            findings += found
            ledgerProblem =
                found.contains { $0.severity == .problem }
                ? TapcardError(
                    .ledgerUnavailable, "The ledger cannot be used.",
                    advice: "Follow the steps shown above.") : nil
        } catch {
            // A ledger that cannot be opened is a finding, not a failure of this command.
            findings.append(
                Finding(
                    .ledgerUnusable, .problem, error.what,
                    remedy: [.say(error.meaning)] + connectionSteps(error, settings)))
            ledgerProblem = TapcardError(error.kind, "The ledger cannot be used.")
        }
        let keys = await keyFindings(in: session)
        let servers = await serverFindings(in: session)
        findings +=
            servers + keys + (try offlineFindings(in: session)) + settings.cardAddressFindings
        let keysProblem =
            keys.isEmpty
            ? nil
            : TapcardError(
                .keysUnusable, "The keys cannot be used.", advice: "Follow the steps shown above.")
        let serverProblem =
            servers.contains { $0.severity == .problem }
            ? TapcardError(
                .service(.offline), "A server cannot be used.",
                advice: "Follow the steps shown above.") : nil
        // Only one problem can determine the exit status, and a reader problem takes precedence.
        return Report(
            ["findings": findings.document, "live": live.document],
            findings.flatMap(\.lines),
            problem: answered ? ledgerProblem ?? serverProblem ?? keysProblem : noReader,
            isPlain: true)
    }

    private static let remoteReaderFinding = Finding(
        .doesNotAnswer, .problem,
        "The till's reader is not connected to this server, or does not respond.",
        remedy: [.say("On the till's machine, run:"), .run("tapcard doctor")])

    /// The findings about the servers to which this machine's readers are connected.
    private static func serverFindings(in session: Session) async -> [Finding] {
        do throws(TapcardError) {
            return try await session.drivers.checkConnections(session.settings)
                .findings(at: session.dependencies.now())
        } catch {
            return [
                Finding(
                    .connectionsUnusable, .problem, error.what,
                    remedy: [error.meaning, error.advice].filter { !$0.isEmpty }.map { .say($0) })
            ]
        }
    }

    /// The finding that the keys cannot be used, or are missing even though the ledger has cards.
    private static func keyFindings(in session: Session) async -> [Finding] {
        do throws(TapcardError) {
            if try session.keyFile.load() != nil { return [] }
            let place = try session.settings.ledgerPlace
            if case .file(let path) = place, !DurableFile(path).mayExist { return [] }
            guard
                // A ledger that cannot be opened is a separate finding.
                let ledger = try? await session.drivers.openLedger(
                    place, try session.settings.currency, false, nil)
            else { return [] }
            let card = try? await ledger.read { rows throws(LedgerError) in
                try rows.cards(after: nil, atMost: 1).first
            }
            guard card != nil else { return [] }
            throw KeyCreation(session).lostKeys
        } catch {
            return [
                Finding(
                    .keysUnusable, .problem, error.what,
                    remedy: [error.meaning, error.advice].filter { !$0.isEmpty }.map { .say($0) })
            ]
        }
    }

    /// The steps for checking the connection to the database without tapcard.
    private static func connectionSteps(
        _ error: TapcardError, _ settings: Settings
    ) -> [Finding.Step] {
        guard [.ledgerUnavailable, .ledgerOffline].contains(error.kind),
            case .database(let address)? = try? settings.ledgerPlace
        else { return [] }
        return [
            .say("To check whether the database server can be reached from here:"),
            .run("pg_isready --dbname '\(address)'"),
        ]
    }

    /// The findings about offline payments. Unusable keys are a separate finding.
    private static func offlineFindings(in session: Session) throws(TapcardError) -> [Finding] {
        guard (try? session.keyFile.load()) != nil else { return [] }
        do throws(TapcardError) {
            guard let status = try session.journal.status() else { return [] }
            return status.findings(try session.journal.limits(status.currency))
        } catch {
            return [Finding(.unbooked, .problem, error.what, remedy: [.say(error.meaning)])]
        }
    }

    /// The findings about the ledger. A ledger file is read completely. It is not a problem if the
    /// default file does not exist yet.
    private static func ledgerFindings(in session: Session) async throws(TapcardError) -> [Finding]
    {
        let (settings, drivers) = (session.settings, session.drivers)
        let (place, currency) = (try settings.ledgerPlace, try settings.currency)
        let status: DatabaseStatus
        switch place {
        case .database(let address):
            status = try await translating(awaiting: await drivers.database(address).status()) {
                (error: LedgerError) in
                TapcardError(error)
            }
        case .file(let path):
            let isNamed = settings.effective(.ledger).origin != .builtIn
            guard isNamed || DurableFile(path).mayExist else { return [] }
            try await translating(
                awaiting: await drivers.openLedger(place, currency, false, nil).checkStorage()
            ) { (error: LedgerError) in TapcardError(error) }
            return [
                Finding(
                    .ledger, .ok,
                    "Every page of the ledger file \(path) was read, and none is damaged.")
            ]
        }
        let other = (try? session.keyFile.load()).flatMap(\.self).flatMap(status.keys.other(than:))
        return try await status.findings + LostOperations.findings(status, in: session)
            + (other.map { [Finding(otherKey: $0, settings.keyPath)] } ?? [])
    }

    /// The names of the readers to try until one responds: the requested reader, or those that look
    /// usable.
    private static func candidates(
        _ survey: ReaderSurvey, _ findings: [Finding], _ settings: Settings
    ) -> [ReaderName] {
        // Each reader that does not respond costs time, so the command does not try them all.
        let maximumTried = 8
        guard let name = settings.reader else {
            return Array(survey.rows.filter(\.isReady).compactMap(\.name).prefix(maximumTried))
        }
        // If there is a problem, the survey has already found why the reader cannot be used.
        return findings.contains { $0.severity == .problem } ? [] : [name]
    }
}

extension ReaderRow {
    /// The row for the simulated reader, which is always available and does not count as a real
    /// reader.
    fileprivate static var simulated: ReaderRow {
        ReaderRow(name: .simulated(file: nil), make: "simulated reader", driver: "tapcard")
    }

    fileprivate var shownName: String { name?.text.escapedForOneLine ?? "-" }
}

extension ReaderRow: DocumentedObject {
    static let fields: Fields<ReaderRow> = [
        "name": .of(\.name), "make": .of(\.make), "driver": .of(\.driver),
        "state": .of(\.state.word), "detail": .of(\.state.text), "usb": .of(\.numbers),
        "node": .of(\.node),
    ]
}

extension Finding {
    /// The width of the longest word, "problem", plus two spaces.
    private static let severityWidth = 9

    var lines: [String] {
        let indented = String(repeating: " ", count: Finding.severityWidth)
        let word = severity.rawValue
        return [word + String(indented.dropFirst(word.count)) + what.escapedForOneLine]
            + remedy.map { step in
                switch step {
                case .say(let text): indented + text.escapedForOneLine
                case .run(let command): indented + "  " + command.escapedForOneLine
                }
            }
    }

    /// The text of the remedy; nil if there is none.
    private var advice: String? {
        let words = remedy.map { step in
            switch step {
            case .say(let text), .run(let text): text
            }
        }
        return words.isEmpty ? nil : words.joined(separator: "\n")
    }

    private var commands: [String] {
        remedy.compactMap { step in
            if case .run(let command) = step { command } else { nil }
        }
    }
}

extension Finding: DocumentedObject {
    static var schema: JSONValue { ValueSchemas.finding }
    static let fields: Fields<Finding> = [
        "id": .of(\.id), "severity": .of(\.severity), "reader": .of(\.reader), "what": .of(\.what),
        "remedy": .of(\.advice), "commands": .of(\.commands),
    ]
}
