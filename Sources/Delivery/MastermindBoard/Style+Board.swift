import StyledText

extension Style {
    private static let colours = [
        "97;41", "30;42", "30;43", "97;44", "97;45", "30;46",
        "30;47", "97;100", "30;101", "30;102", "30;104", "30;105",
    ].map { Style(codes: $0) }

    static let blackPeg = Style(codes: "97;40")
    static let whitePeg = Style(codes: "30;107")

    /// The style of a colour of the game, by its number.
    static func colour(_ number: Int) -> Style { colours[(number - 1) % colours.count] }
}
