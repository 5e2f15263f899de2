extension ClosedRange<Int> {
    /// The range in words, such as "30 to 3600".
    public var words: String { "\(lowerBound) to \(upperBound)" }
}
