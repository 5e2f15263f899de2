extension CashierName {
    /// The name in lower case, without spaces or invisible characters. Names that differ only in
    /// these respects have the same spelling.
    public var spelling: String { CashierName.folded(text.unicodeScalars) }

    /// Whether the two names could be mistaken for each other on a screen.
    public func looksLike(_ other: CashierName) -> Bool {
        spelling == other.spelling || shape == other.shape
    }

    private var shape: String {
        // Lookalikes are replaced both before and after case folding, because a capital letter and
        // its lower-case form may resemble different letters.
        let shown = CashierName.folded(text.unicodeScalars.map(CashierName.shape))
        return String(String.UnicodeScalarView(shown.unicodeScalars.map(CashierName.shape)))
    }

    private static func folded(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        scalars.filter {
            !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        }.map(\.properties.lowercaseMapping).joined()
    }

    private static func shape(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Maps full-width forms of ASCII characters to ASCII.
        let narrow =
            (0xFF01...0xFF5E).contains(scalar.value)
            ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
        return lookalikes[narrow] ?? narrow
    }

    /// Maps letters, digits, and symbols to the characters that they look like.
    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = {
        let groups: KeyValuePairs<Unicode.Scalar, String> = [
            "a": "АаΑαɑ", "b": "ВΒ", "c": "СсϹϲ", "d": "ԁ", "e": "ЕеΕ", "g": "ɡ", "h": "НнΗһ",
            "i": "ІіΙιı", "j": "Јјϳ", "k": "КкΚκ", "l": "Iӏ1|", "m": "МмΜ", "n": "Ν",
            "o": "ОоΟο0", "p": "РрΡρ", "q": "ԛ", "s": "Ѕѕ", "t": "ТтΤτ", "u": "υ", "v": "νѵ",
            "w": "ԝѡ", "x": "ХхΧχ", "y": "УуΥγү", "z": "Ζ", "-": "‐‑‒–—−", "'": "’‘ʼ′`´",
        ]
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, others) in groups {
            for other in others.unicodeScalars { table[other] = letter }
        }
        return table
    }()
}
