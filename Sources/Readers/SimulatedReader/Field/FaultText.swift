extension Fault: CustomStringConvertible {
    /// The fault as one line of a simulation file, such as "write 3 torn mix 42".
    public var description: String {
        "\(counted.rawValue) \(countdown) \(kind)"
    }

    /// Parses a fault, but only in the exact form that `description` produces.
    public init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count >= 3, let counted = Counted(rawValue: words[0]),
            let countdown = Int(words[1]), countdown > 0, let kind = Kind(Array(words[2...]))
        else { return nil }
        self.init(at: countdown, counting: counted, kind)
        // The comparison rejects other spellings, such as extra spaces.
        guard description == text else { return nil }
    }
}

extension Fault.Kind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lost: "lost"
        case .torn(let page): "torn \(page)"
        case .acknowledgeLost: "acknowledge-lost"
        case .pulledAfter: "pulled-after"
        case .garbled: "garbled"
        case .late: "late"
        case .refused(let code): "refused \(code)"
        case .killedBefore: "killed-before"
        case .killedAfter: "killed-after"
        }
    }

    init?(_ words: [String]) {
        switch (words.first, words.count) {
        case ("lost", 1): self = .lost
        case ("torn", 2...):
            guard let page = TornPage(Array(words[1...])) else { return nil }
            self = .torn(page)
        case ("acknowledge-lost", 1): self = .acknowledgeLost
        case ("pulled-after", 1): self = .pulledAfter
        case ("garbled", 1): self = .garbled
        case ("late", 1): self = .late
        case ("refused", 2):
            // NAKs are 0 to 9; 0Ah is the ACK.
            guard let code = UInt8(words[1]), code < 10 else { return nil }
            self = .refused(code)
        case ("killed-before", 1): self = .killedBefore
        case ("killed-after", 1): self = .killedAfter
        default: return nil
        }
    }
}

extension TornPage: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unchanged: "old"
        case .new: "new"
        case .zero: "zero"
        case .mix(let seed): "mix \(seed)"
        case .lowestOnes(let count): "new-lowest \(count)"
        case .highestOnes(let count): "new-highest \(count)"
        case .erasedToLowestOnes(let count): "old-lowest \(count)"
        case .erasedToHighestOnes(let count): "old-highest \(count)"
        case .someOnes(let seed): "new-some \(seed)"
        case .erasedToSomeOnes(let seed): "old-some \(seed)"
        }
    }

    init?(_ words: [String]) {
        let number = words.count == 2 ? UInt64(words[1]) : nil
        // A page has 32 bits.
        let count = number.flatMap { $0 <= 32 ? Int($0) : nil }
        switch (words[0], words.count, number, count) {
        case ("old", 1, _, _): self = .unchanged
        case ("new", 1, _, _): self = .new
        case ("zero", 1, _, _): self = .zero
        case ("mix", 2, let seed?, _): self = .mix(seed: seed)
        case ("new-lowest", 2, _, let count?): self = .lowestOnes(count)
        case ("new-highest", 2, _, let count?): self = .highestOnes(count)
        case ("old-lowest", 2, _, let count?): self = .erasedToLowestOnes(count)
        case ("old-highest", 2, _, let count?): self = .erasedToHighestOnes(count)
        case ("new-some", 2, let seed?, _): self = .someOnes(seed: seed)
        case ("old-some", 2, let seed?, _): self = .erasedToSomeOnes(seed: seed)
        default: return nil
        }
    }
}
