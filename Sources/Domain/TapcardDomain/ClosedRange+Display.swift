extension ClosedRange<Int> {
    /// "30 to 3600".
    public var words: String { "\(lowerBound) to \(upperBound)" }
}
