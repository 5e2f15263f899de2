import Glibc
package import Testing

/// How much the tests try, as `TAPCARD_TESTS` says: nothing, `check` or `prove`.
package enum Thoroughness: Int, Comparable, Sendable {
    /// `make test`, run after a change. Long tests try some of their places, and some wait for
    /// `make check`.
    case usual
    /// `make check`, run before a change is handed in.
    case check
    /// `make prove`, which tries every place of the built program.
    case prove

    package static let asked: Thoroughness =
        switch unsafe getenv("TAPCARD_TESTS").map({ unsafe String(cString: $0) }) {
        case nil, "": .usual
        case "check": .check
        case "prove": .prove
        case let word?: preconditionFailure("TAPCARD_TESTS is check or prove, not \(word)")
        }

    /// A sanitizer makes every run of the program many times slower.
    package static var isSanitized: Bool { unsafe getenv("TAPCARD_SANITIZED") != nil }

    package static func < (left: Thoroughness, right: Thoroughness) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The distance between the places that are tried.
    package static func step(_ checked: Int, usual: Int? = nil) -> Int {
        switch asked {
        case .prove: 1
        case .check: isSanitized ? max(checked, 25) : checked
        case .usual: isSanitized ? max(usual ?? checked, 25) : usual ?? checked
        }
    }

    /// Every n-th of the elements in `make test`, all of them elsewhere.
    package static func some<Element>(_ elements: [Element], of one: Int) -> [Element] {
        asked > .usual
            ? elements
            : elements.enumerated().filter { $0.offset.isMultiple(of: one) }.map(\.element)
    }
}

extension Trait where Self == ConditionTrait {
    /// A long test that another one stands in for, run only by `make check`.
    package static var checkOnly: Self {
        .enabled("make check runs it") { Thoroughness.asked > .usual }
    }
}
