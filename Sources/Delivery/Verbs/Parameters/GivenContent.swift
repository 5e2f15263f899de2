import TapcardCore
import TextCodecs

/// Content for a tag: the path of a file from the command line, or bytes from an API request. API
/// requests can never name a file, so they cannot make tapcard read one.
enum GivenContent: Sendable {
    case file(String)
    case bytes([UInt8])

    /// The words for this content at the start of a sentence.
    var name: String {
        switch self {
        case .file(let path): path
        case .bytes: "The content"
        }
    }

    func bytes() throws(TapcardError) -> [UInt8] {
        switch self {
        case .file(let path): try NamedFile(path).content()
        case .bytes(let bytes): bytes
        }
    }
}

/// Content with its media type.
struct GivenMedia: Sendable {
    static let typePattern = "^[!-.0-~]{1,127}/[!-~]{1,127}$"

    let type: String
    let content: GivenContent

    init?(_ type: some StringProtocol, _ content: GivenContent) {
        let parts = type.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...127).contains($0.utf8.count) }),
            type.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        (self.type, self.content) = (String(type), content)
    }
}

extension ValueType<String> {
    /// Text for a tag.
    static var content: Self { Self(form: .content) { text, _ in text } }
}

extension ValueType<GivenContent> {
    static var content: Self {
        Self(
            form: .base64, completes: .files,
            decode: { $0.string.flatMap(Base64.decode).map { [.bytes($0)] } },
            parse: { text, _ in .file(text) })
    }
}

extension ValueType<GivenMedia> {
    static var media: Self {
        Self(
            form: .media,
            decode: { member in
                guard member.members?.count == 2, let type = member["type"]?.string,
                    let bytes = member["base64"]?.string.flatMap(Base64.decode)
                else { return nil }
                return GivenMedia(type, .bytes(bytes)).map { [$0] }
            },
            parse: { word, _ throws(TapcardError) in
                let parts = word.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let media = GivenMedia(parts[0], .file(String(parts[1])))
                else {
                    throw TapcardError(
                        .usage,
                        parts.count == 2
                            ? "\(String(parts[0]).quotation) is not a media type such as "
                                + "text/plain."
                            : "The value of --mime is not in the form TYPE=FILE: "
                                + "\(word.quotation).",
                        meaning: "Nothing was written to a tag.",
                        advice: "Write it like this: --mime image/png=logo.png")
                }
                return media
            })
    }
}
