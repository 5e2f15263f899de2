extension RandomAccessCollection where Element: Identifiable {
    /// The elements after the one with this ID; all of them if the ID is nil or not found.
    func after(_ id: Element.ID?) -> SubSequence {
        guard let id, let place = firstIndex(where: { $0.id == id }) else { return self[...] }
        return self[index(after: place)...]
    }
}

extension Sequence {
    func prefixed(_ count: Int) -> [Element] { Array(prefix(Swift.max(count, 0))) }
}
