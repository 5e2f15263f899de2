package import Tags

/// A reply from the process or the agent that drives the reader.
package enum ReaderReply: Equatable, Sendable {
    /// A tag has been selected on the current reader.
    case tag(TagIdentity, ReaderSummary)
    case report(BatchReport)
    /// The tag was released or, after a removal request, has left the reader.
    case released
    case failed(ReaderError)

    /// Parses a reply; `nil` for an invalid message.
    package init?(_ message: [UInt8]) {
        var rest = MessageFields(message)
        switch rest.byte() {
        case Opcode.tag.rawValue:
            // Numbers are sent as eight bytes, but an ATQA has only two.
            guard let uid = rest.field(), let request = rest.number(), let select = rest.byte(),
                let family = rest.byte().flatMap(TagIdentity.Family.init),
                let answerToRequest = UInt16(exactly: request),
                let summary = ReaderSummary(&rest), rest.isAtEnd
            else { return nil }
            self = .tag(
                TagIdentity(
                    uid: uid, answerToRequest: answerToRequest, selectAcknowledge: select,
                    family: family), summary)
        case Opcode.report.rawValue:
            guard let hasFailed = rest.byte(), hasFailed <= 1 else { return nil }
            var report = BatchReport()
            if hasFailed == 1 {
                guard let error = ReaderReply.error(&rest) else { return nil }
                report.failure = error
            }
            guard let count = rest.count() else { return nil }
            for _ in 0..<count {
                guard let answer = rest.longField() else { return nil }
                report.answers.append(answer)
            }
            guard rest.isAtEnd else { return nil }
            self = .report(report)
        case Opcode.released.rawValue where rest.isAtEnd: self = .released
        case Opcode.failed.rawValue:
            guard let error = ReaderReply.error(&rest), rest.isAtEnd else { return nil }
            self = .failed(error)
        default: return nil
        }
    }

    package var message: [UInt8] {
        switch self {
        case .tag(let identity, let summary):
            [Opcode.tag.rawValue] + MessageFields.field(identity.uid)
                + MessageFields.bytes(of: UInt64(identity.answerToRequest))
                + [identity.selectAcknowledge, identity.family.rawValue] + summary.bytes
        case .report(let report):
            [Opcode.report.rawValue]
                + (report.failure.map { [1] + ReaderReply.bytes(of: $0) } ?? [0])
                + MessageFields.bytes(ofCount: report.answers.count)
                + report.answers.flatMap(MessageFields.longField)
        case .released: [Opcode.released.rawValue]
        case .failed(let error):
            [Opcode.failed.rawValue] + ReaderReply.bytes(of: error)
        }
    }

    private enum Opcode: UInt8 {
        case tag = 2
        case report, released, failed
    }

    private static func bytes(of error: ReaderError) -> [UInt8] {
        bytes(of: error.kind) + MessageFields.text(error.detail)
    }

    private static func error(_ rest: inout MessageFields) -> ReaderError? {
        guard let number = rest.byte(), let code = rest.byte(), let detail = rest.text() else {
            return nil
        }
        return kind(number, code).map { ReaderError($0, detail) }
    }

    /// The number that stands for a kind, followed by a NAK's code, or 0 for any other kind.
    private static func bytes(of kind: ReaderError.Kind) -> [UInt8] {
        // Apart from `refused`, the numbers are the positions in `plainKinds`.
        switch kind {
        case .refused(let code): [refused, code]
        case .noReader: [0, 0]
        case .busy: [1, 0]
        case .readerLost: [2, 0]
        case .noTag: [3, 0]
        case .severalTags: [4, 0]
        case .tagLost: [5, 0]
        case .garbled: [6, 0]
        case .timedOut: [7, 0]
        case .cancelled: [8, 0]
        case .unsupported: [9, 0]
        }
    }

    /// The kinds without a code, in the order of their numbers.
    private static let plainKinds: [ReaderError.Kind] = [
        .noReader, .busy, .readerLost, .noTag, .severalTags, .tagLost, .garbled, .timedOut,
        .cancelled, .unsupported,
    ]
    private static let refused = UInt8.max

    private static func kind(_ number: UInt8, _ code: UInt8) -> ReaderError.Kind? {
        if number == refused { return .refused(code) }
        // Only a NAK has a code.
        guard code == 0, Int(number) < plainKinds.count else { return nil }
        return plainKinds[Int(number)]
    }
}

/// The properties of a reader that the program at the other end needs.
package struct ReaderSummary: Hashable, Sendable {
    package let name: String
    package let maximumAnswerLength: Int

    package init(name: String, maximumAnswerLength: Int) {
        self.name = name
        self.maximumAnswerLength = maximumAnswerLength
    }
}

extension ReaderSummary {
    init(of reader: any TagReader) async {
        self.init(name: await reader.name, maximumAnswerLength: await reader.maximumAnswerLength)
    }

    init?(_ rest: inout MessageFields) {
        guard let name = rest.text(), let number = rest.number(),
            let maximumAnswerLength = Int(exactly: number)
        else { return nil }
        self.init(name: name, maximumAnswerLength: maximumAnswerLength)
    }

    var bytes: [UInt8] {
        MessageFields.text(name) + MessageFields.bytes(of: UInt64(max(0, maximumAnswerLength)))
    }
}
