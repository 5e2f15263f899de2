/// A key with a meaning on the board.
package enum BoardKey: Hashable, Sendable {
    case character(Character)
    case left, right, up, down
    case next, previous
    case first, last
    case pageUp, pageDown
    case clear, erase
    case enter
    case back
}

/// The available space, in characters.
package struct BoardSize: Hashable, Sendable {
    package static let smallest = BoardSize(width: 20, height: 8)

    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    var isEnough: Bool {
        width >= BoardSize.smallest.width && height >= BoardSize.smallest.height
    }
}
