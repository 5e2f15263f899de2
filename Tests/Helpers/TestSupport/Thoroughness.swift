import Glibc
package import Testing

/// How much the tests try. `TAPCARD_TESTS` says it: nothing, `check` or `prove`.
package enum Thoroughness: Int, Comparable, Sendable {
    /// What a person runs after a change: `make test`. Long tests try a part of their places, and
    /// some wait for `make check`.
    case usual
    /// What is run before a change is handed in: `make check`.
    case check
    /// Every place of the built program: `make prove`.
    case prove

    package static let asked: Thoroughness =
        switch unsafe getenv("TAPCARD_TESTS").map({ unsafe String(cString: $0) }) {
        case nil, "": .usual
        case "check": .check
        case "prove": .prove
        case let word?: preconditionFailure("TAPCARD_TESTS is check or prove, not \(word)")
        }

    /// A sanitizer makes every run of the program many times as long.
    package static var isSanitized: Bool { unsafe getenv("TAPCARD_SANITIZED") != nil }

    package static func < (left: Thoroughness, right: Thoroughness) -> Bool {
        left.rawValue < right.rawValue
    }

    /// How far apart the places are that are tried.
    package static func step(_ checked: Int, usual: Int? = nil) -> Int {
        switch asked {
        case .prove: 1
        case .check: isSanitized ? max(checked, 25) : checked
        case .usual: isSanitized ? max(usual ?? checked, 25) : usual ?? checked
        }
    }

    /// Every so many of the elements in `make test`, all of them elsewhere.
    package static func some<Element>(_ elements: [Element], of one: Int) -> [Element] {
        asked > .usual
            ? elements
            : elements.enumerated().filter { $0.offset.isMultiple(of: one) }.map(\.element)
    }
}

extension Trait where Self == ConditionTrait {
    /// A test that takes long and that another one stands in for: `make check` runs it.
    package static var checkOnly: Self {
        .enabled("make check runs it") { Thoroughness.asked > .usual }
    }
}
