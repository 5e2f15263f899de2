import ReaderProcess
import Tags
import Testing

@Suite("Messages between a program and the process of its reader")
struct MessageTests {
    private static let summary = ReaderSummary(name: "a reader", maximumAnswerLength: 250)

    private static let requests: [ReaderRequest] = [
        .select(milliseconds: 0), .select(milliseconds: .max), .batch([]),
        .batch([BatchItem(.frame([0x30, 4]))]), .release(nil), .release(.done),
        .release(.refused), .cancel,
        .batch([
            BatchItem(.frame([0xA2, 4, 1, 2, 3, 4]), expecting: .bytes([])),
            BatchItem(.command([0x90, 0x60, 0, 0, 0]), expecting: .bytes([0x91, 0xAF])),
            BatchItem(.frame([0x3A, 4, 5]), expecting: .length(8)),
            BatchItem(
                .command([UInt8](repeating: 7, count: 300)),
                expecting: .length(3, ending: [0x91, 0])),
        ]),
    ]

    private static let kinds: [ReaderError.Kind] = [
        .noReader, .busy, .readerLost, .noTag, .severalTags, .tagLost, .refused(0), .refused(5),
        .garbled, .timedOut, .cancelled, .unsupported,
    ]

    private static let replies: [ReaderReply] =
        [
            .tag(TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6]), summary),
            .tag(TagIdentity(uid: [], answerToRequest: 0xFFFF, selectAcknowledge: 0x20), summary),
            .tag(TagIdentity(uid: [1], family: .felica), summary),
            .report(BatchReport()), .report(BatchReport(answers: [[], Array(0...255)])), .released,
        ] + kinds.map { .failed(ReaderError($0, "because")) }
        + kinds.map { .report(BatchReport(answers: [[1]], failure: ReaderError($0, "because"))) }

    @Test("Every request is read back unchanged", arguments: requests)
    func request(_ request: ReaderRequest) {
        #expect(ReaderRequest(request.message) == request)
    }

    @Test("Every reply is read back unchanged", arguments: replies)
    func reply(_ reply: ReaderReply) {
        #expect(ReaderReply(reply.message) == reply)
    }

    @Test("An error keeps its kind and its words", arguments: kinds)
    func error(_ kind: ReaderError.Kind) throws {
        let message = ReaderReply.failed(ReaderError(kind, "the words")).message
        guard case .failed(let error)? = ReaderReply(message) else {
            Issue.record("no error came back")
            return
        }
        #expect(error.kind == kind)
        #expect(error.detail == "the words")
    }

    @Test("A message that is cut off or too long is refused")
    func cut() {
        for message in Self.requests.map(\.message) {
            for length in 0..<message.count {
                #expect(ReaderRequest(Array(message.prefix(length))) == nil)
            }
            #expect(ReaderRequest(message + [0]) == nil)
        }
        for message in Self.replies.map(\.message) {
            for length in 0..<message.count {
                #expect(ReaderReply(Array(message.prefix(length))) == nil)
            }
            #expect(ReaderReply(message + [0]) == nil)
        }
    }

    @Test("A message or an error with an unknown number is refused", arguments: 0...255)
    func unknown(_ first: Int) {
        let isKnown = (2...5).contains(first)
        #expect(isKnown || ReaderRequest([UInt8(first)]) == nil)
        #expect(isKnown || ReaderReply([UInt8(first)]) == nil)
        let error: [UInt8] = [5, UInt8(first), 0, 0]
        #expect((ReaderReply(error) != nil) == (first < 10 || first == 255))
    }

    @Test("Words that are too long are cut after a whole character", arguments: 0...4)
    func longWords(_ lead: Int) throws {
        let words = String(repeating: "a", count: lead) + String(repeating: "\u{20AC}", count: 90)
        let message = ReaderReply.failed(ReaderError(.noReader, words)).message
        guard case .failed(let error)? = ReaderReply(message) else {
            Issue.record("no error came back")
            return
        }
        #expect(words.hasPrefix(error.detail))
        #expect((253...255).contains(error.detail.utf8.count))
    }

    @Test("Words that are not UTF-8 are refused")
    func senselessWords() {
        #expect(ReaderReply([5, 0, 0, 1, 0x86]) == nil)
        let summary = ReaderSummary(name: "a", maximumAnswerLength: 1)
        let message = ReaderReply.tag(TagIdentity(uid: [4]), summary).message
        #expect(ReaderReply(message.map { $0 == 0x61 ? 0x86 : $0 }) == nil)
    }
}
