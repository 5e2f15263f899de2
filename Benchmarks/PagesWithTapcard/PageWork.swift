import Cards
import Glibc
import LibNFCReader
import Tags
import TextCodecs

/// One task on the pages of a tag, with nothing but tapcard's library: the counterpart of the
/// programs that use nfcpy and libfreefare, without ledger, keys or signature.
struct PageWork {
    /// The reason why the task was not done.
    struct Failure: Error {
        let what: String
    }

    private enum Job {
        case read(ClosedRange<UInt8>)
        case write([PageWrite])
        case verifiedWrite([PageWrite])
    }

    private static let usage = """
        PagesWithTapcard READER read FIRST COUNT   prints pages in hexadecimal digits
        PagesWithTapcard READER write FIRST HEX    writes pages
        PagesWithTapcard READER verify FIRST HEX   writes pages, reads them back and compares
        """
    private static let pageSize = 4
    private static let wait = Duration.seconds(5)

    private let reader: String
    private let job: Job

    init(_ words: ArraySlice<String>) throws(Failure) {
        let words = Array(words)
        guard words.count == 4, let first = UInt8(words[2]) else {
            throw Failure(what: Self.usage)
        }
        reader = words[0]
        switch words[1] {
        case "read":
            guard let count = UInt8(words[3]), count > 0, first <= UInt8.max - count else {
                throw Failure(what: Self.usage)
            }
            job = .read(first...first + count - 1)
        case "write": job = .write(try Self.writes(words[3], from: first))
        case "verify": job = .verifiedWrite(try Self.writes(words[3], from: first))
        default: throw Failure(what: Self.usage)
        }
    }

    private static func writes(_ text: String, from first: UInt8) throws(Failure) -> [PageWrite] {
        guard let bytes = Hexadecimal.decode(text), !bytes.isEmpty,
            bytes.count.isMultiple(of: Self.pageSize),
            bytes.count / Self.pageSize <= Int(UInt8.max - first)
        else { throw Failure(what: usage) }
        return stride(from: 0, to: bytes.count, by: Self.pageSize).map { start in
            let page = Page(bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
            return PageWrite(first + UInt8(start / Self.pageSize), page)
        }
    }

    /// Does the task; returns the text to print.
    func run() async throws(Failure) -> String {
        do {
            let tag = try await LibNFCReader.open(reader)
            _ = try await tag.select(within: Self.wait)
            let text = try await perform(on: tag)
            await tag.release()
            await tag.close()
            return text
        } catch {
            throw Failure(what: "\(error)")
        }
    }

    private func perform(on tag: LibNFCReader) async throws -> String {
        switch job {
        case .read(let pages):
            let bytes = try await tag.perform(
                ReadPages(pages, maximumAnswerLength: tag.maximumAnswerLength))
            return Hexadecimal.encode(bytes) + "\n"
        case .write(let writes):
            for write in writes {
                // A refusal is thrown; an acknowledgement has no content.
                _ = try await tag.exchange(Type2Command.write(write.page, write.content).frame)
            }
        case .verifiedWrite(let writes):
            _ = try await tag.perform(
                WritePages(writes, maximumAnswerLength: tag.maximumAnswerLength))
        }
        return ""
    }
}
