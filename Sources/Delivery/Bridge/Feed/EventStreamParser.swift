/// Parses a stream of server-sent events.
package struct EventStreamParser: Sendable {
    package struct Event: Sendable, Hashable {
        package let name: String
        package let data: [UInt8]
    }

    /// The maximum size in bytes of a line and of an event's data. Anything longer is cut off,
    /// which leaves invalid JSON.
    package static let maximumSize = 1_048_576

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []

    package init() {}

    /// Takes the next part of the stream. Returns the events that are now complete.
    package mutating func take(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            if byte != UInt8(ascii: "\n") {
                if line.count < EventStreamParser.maximumSize { line.append(byte) }
            } else if let event = endLine() {
                events.append(event)
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line = [] }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty {
            defer { (name, data) = ("", []) }
            return name.isEmpty ? nil : Event(name: name, data: data)
        }
        if let value = value(of: "event") { name = String(decoding: value, as: UTF8.self) }
        if let value = value(of: "data") {
            data += value.prefix(EventStreamParser.maximumSize - data.count)
        }
        return nil
    }

    /// Returns the value if the line is a field with this name.
    private func value(of name: String) -> ArraySlice<UInt8>? {
        guard line.starts(with: Array("\(name):".utf8)) else { return nil }
        let value = line.dropFirst(name.utf8.count + 1)
        return value.first == UInt8(ascii: " ") ? value.dropFirst() : value
    }
}
