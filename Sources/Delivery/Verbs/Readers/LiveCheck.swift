import CardCryptography
import Ledger
import ReaderDiagnosis
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs

/// The result of opening a reader and looking once at the tag on it.
struct LiveCheck: Sendable {
    let reader: ReaderName
    /// The reader's own name; nil until the reader has been opened.
    var title: String?
    var firmware: String?
    var tag: TagInfo?
    var findings: [Finding] = []

    /// Whether the reader responded, regardless of the tag.
    var hasAnswered: Bool { findings.contains { $0.id == .answers } }

    /// Opens the reader and checks it. The check uses an empty ledger and a temporary key instead
    /// of the station's own ledger and keys.
    static func run(
        on name: ReaderName, _ survey: ReaderSurvey, in session: Session
    ) async throws(TapcardError) -> LiveCheck {
        var check = LiveCheck(reader: name)
        let reader: any TagReader
        do throws(ReaderError) {
            // Only a simulated reader has a file in the data folder.
            if name == .simulated(file: nil) {
                try translating(session.places.makeDrawerFolder()) { (error: TapcardError) in
                    ReaderError(.noReader, error.what)
                }
            }
            reader = try await session.drivers.openReader(
                name, session.settings.simulatedFolder, .tap)
        } catch {
            check.findings.append(notOpened(name, error, survey))
            return check
        }
        check.title = await reader.name
        check.firmware = await session.drivers.readers.firmware(of: reader)
        let currency = try session.settings.currency ?? .usd
        let dependencies = session.drivers.dependencies { _ in }
        let station = Station(
            reader: reader, ledger: InMemoryLedger(currency: currency),
            keys: KeyRing.fresh(created: LocalTime.date(dependencies.now())),
            // The reader is checked only once, because nobody was asked to tap a card.
            settings: Station.Settings(wait: .zero), dependencies: dependencies)
        do {
            let tag = try await station.tagInfo()
            check.tag = tag
            check.findings += [check.answer, check.reading(of: tag)]
        } catch {
            check.findings += try check.explain(error, survey)
        }
        return check
    }

    private static func notOpened(
        _ name: ReaderName, _ error: ReaderError, _ survey: ReaderSurvey
    ) -> Finding {
        error.kind == .busy
            ? Finding(
                .heldByProgram, .problem, reader: name, sentence(name, "is in use", error.detail),
                remedy: [.say("Stop the other program, or wait until it has finished.")])
            : Finding(
                .cannotOpen, .problem, reader: name,
                sentence(name, "cannot be opened", error.detail),
                remedy: survey.remedyForUnresponsiveReader(name))
    }

    /// A sentence about the reader that does not repeat words from the driver's text.
    private static func sentence(_ name: ReaderName, _ verb: String, _ detail: String) -> String {
        if detail.isEmpty { return "\(name) \(verb)." }
        if detail.hasPrefix("\(name) ") { return "\(detail)." }
        // The driver's text already contains the verb.
        if detail.contains(" \(verb)") { return TapcardError.sentence(detail) }
        let quoted = "\"\(name)\": "
        return
            "\(name) \(verb): "
            + "\(detail.hasPrefix(quoted) ? detail.dropFirst(quoted.count) : detail[...])."
    }

    private var answer: Finding {
        let firmware = self.firmware.map { ", \($0)" } ?? ""
        let title = self.title.map { $0 == reader.text ? "" : " as \($0)" } ?? ""
        return Finding(.answers, .ok, reader: reader, "\(reader) responds\(title)\(firmware).")
    }

    private func reading(of tag: TagInfo) -> Finding {
        let signature =
            switch tag.originality {
            case .valid, .invalid: "is \(tag.originality.rawValue)"
            case .none: "is missing"
            case .notAsked: "was not checked"
            }
        let chip = tag.chip.withArticle
        let name = chip.prefix(1).uppercased() + chip.dropFirst()
        var what =
            "\(name) is on the reader: \(Hexadecimal.encode(tag.uid)). The manufacturer's "
            + "signature \(signature). The tag contains \(LiveCheck.words(tag.ndef)) and has "
            + "\(tag.freeBytes) of \(tag.userByteCount) bytes free."
        if tag.isLocked { what += " It is locked." }
        // Only an NTAG 424 has key versions.
        if !tag.keyVersions.isEmpty {
            what += " \(tag.keyVersionWords)."
        } else if tag.isProtected {
            what += " It is protected by a \(tag.pages?.passwordPage == nil ? "key" : "password")."
        }
        return Finding(.tag, .ok, reader: reader, what)
    }

    private static func words(_ ndef: String) -> String {
        switch ndef {
        case "tapcard": "a tapcard card"
        case "json": "another program's card"
        case "text": "text"
        case "uri": "a link"
        case "empty": "nothing"
        case "none": "nothing readable"
        default: "another kind of message"
        }
    }

    private func explain(
        _ error: TapcardError, _ survey: ReaderSurvey
    ) throws(TapcardError) -> [Finding] {
        switch error.kind {
        case .cancelled: throw error
        case .noCard:
            return [answer, Finding(.noTag, .ok, reader: reader, "There is no tag on the reader.")]
        case .noReader, .readerBusy, .readerLost:
            return [
                Finding(
                    .doesNotAnswer, .problem, reader: reader,
                    "\(reader) can be opened but does not respond: \(error.what)",
                    remedy: survey.remedyForUnresponsiveReader(reader))
            ]
        default:
            let advice: [Finding.Step] = error.advice.isEmpty ? [] : [.say(error.advice)]
            return [
                answer, Finding(.tagUnreadable, .note, reader: reader, error.what, remedy: advice),
            ]
        }
    }
}

extension LiveCheck: DocumentedObject {
    static let fields: Fields<LiveCheck> = [
        "reader": .of(\.reader), "answers": .of(\.hasAnswered), "title": .of(\.title),
        "firmware": .of(\.firmware), "tag": .of(\.tag),
    ]
}

extension TagInfo: DocumentedObject {
    static let fields: Fields<TagInfo> = [
        "uid": .of { Hexadecimal.encode($0.uid) }, "chip": .of(\.chip),
        "originality": .of(\.originality),
        "ndef": .of(\.ndef), "bytes": .of(\.userByteCount), "freeBytes": .of(\.freeBytes),
        "locked": .of(\.isLocked), "protected": .of(\.isProtected),
    ]
}
