package import OperatingSystem
package import TapcardCore
import TextCodecs

/// An entry in a `PrivateList`. Its name is unique in the list.
protocol PrivateEntry: Hashable, Sendable {
    associatedtype Name: Hashable

    var name: Name { get }
    var document: JSONValue { get }

    init?(_ document: JSONValue)
}

/// A file that holds a list. A running server rereads it when it changes.
package protocol ListFile {
    associatedtype Entry

    /// A value that differs whenever the file or its permissions may have changed; nil if the file
    /// is missing.
    func stamp() throws(TapcardError) -> DurableFile.Stamp?
    /// The entries; empty if the file is missing.
    func load() throws(TapcardError) -> [Entry]
}

/// A list stored as JSON in a file that only its owner can access.
struct PrivateList<Entry: PrivateEntry>: ListFile, Sendable {
    let file: PrivateFile
    /// The plural noun for the entries, such as "cashiers". It is also their key in the file.
    let what: String
    let maximumCount: Int

    private var format: String { "tapcard \(what) 1" }

    func stamp() throws(TapcardError) -> DurableFile.Stamp? {
        try translating(DurableFile(file.path).stamp(), into: file.unreadable)
    }

    func load() throws(TapcardError) -> [Entry] {
        try file.requirePrivate()
        let found = try translating(
            DurableFile(file.path).read(limit: JSONValue.sizeLimit), into: file.unreadable)
        // The file is created when the first entry is added.
        guard let bytes = found else { return [] }
        guard let document = try? JSONValue.parsing(bytes), document["format"]?.string == format,
            let members = document[what]?.array, members.count <= maximumCount
        else { throw damaged }
        let entries = members.compactMap(Entry.init)
        // If a name appears twice, there is no way to tell which entry is right.
        guard entries.count == members.count, Set(entries.map(\.name)).count == entries.count
        else { throw damaged }
        return entries
    }

    /// Runs `body` on the list under an exclusive lock, and saves the list if it changed.
    func change<Success>(
        _ body: (inout [Entry]) throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try file.withExclusiveLock { () throws(TapcardError) in
            let old = try load()
            var entries = old
            let result = try body(&entries)
            // An unnecessary write would change the stamp and make a running server reread the
            // file.
            if entries != old { try save(entries) }
            return result
        }
    }

    private func save(_ entries: [Entry]) throws(TapcardError) {
        let document = JSONValue.object([
            JSONMember(key: "format", value: .string(format)),
            JSONMember(key: what, value: .array(entries.map(\.document))),
        ])
        try file.write(document.prettyText)
    }

    private var damaged: TapcardError {
        file.refusal(
            "\(file.named) is damaged or from a newer version of tapcard.",
            .useNewerVersion(file.secret))
    }
}
