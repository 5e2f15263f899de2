import Dispatch

/// A rule that holds for every input, under the name of the code that it covers.
///
/// An input that breaks it, crashes it or never ends shows a bug in the product. The fuzzer looks
/// for such inputs; those that were chosen or found run as ordinary tests.
public struct FuzzTarget: Sendable {
    enum Check: Sendable {
        case plain(@Sendable ([UInt8]) throws -> Void)
        case waiting(@Sendable ([UInt8]) async throws -> Void)
    }

    public let name: String
    private let check: Check

    init(_ name: String, _ check: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.check = .plain(check)
    }

    init(waiting name: String, _ check: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.name = name
        self.check = .waiting(check)
    }

    public static let all =
        messages + cards + dumps + readers + words + services + [hostileTag, readerLine]

    /// Throws the broken rule.
    public func run(_ input: [UInt8]) async throws {
        switch check {
        case .plain(let check): try check(input)
        case .waiting(let check): try await check(input)
        }
    }

    /// Runs an input, and blocks the calling thread until it is done.
    public func runAndWait(_ input: [UInt8]) throws {
        switch check {
        case .plain(let check): try check(input)
        case .waiting(let check):
            let done = DispatchSemaphore(value: 0)
            let broken = Outcome()
            Task.detached {
                do { try await check(input) } catch { broken.set(error) }
                done.signal()
            }
            done.wait()
            if let error = broken.error { throw error }
        }
    }
}

/// The result of a check that runs elsewhere.
// Unchecked: written before the semaphore is signalled, read after it was waited for.
private final class Outcome: @unchecked Sendable {
    private(set) var error: (any Error)?
    func set(_ error: any Error) { self.error = error }
}

/// The rule that an input broke.
public struct BrokenProperty: Error, CustomStringConvertible {
    public let description: String
}

func require(_ holds: Bool, _ property: @autoclosure () -> String) throws {
    guard holds else { throw BrokenProperty(description: property()) }
}

/// Turns a missing value into a broken rule.
func unwrap<Value>(_ value: Value?, _ property: @autoclosure () -> String) throws -> Value {
    guard let value else { throw BrokenProperty(description: property()) }
    return value
}

/// The fuzzer's choices, byte by byte; zeros once they are used up.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Reads a length and then that many bytes, as far as there are any.
    mutating func field() -> [UInt8] { bytes(Int(byte())) }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
