extension CashierName {
    /// The name without spaces and invisible characters, in lower case. It does not depend on
    /// how someone types the name.
    public var spelling: String { CashierName.folded(text.unicodeScalars) }

    /// Whether one name could be mistaken for the other on a screen.
    public func looksLike(_ other: CashierName) -> Bool {
        spelling == other.spelling || shape == other.shape
    }

    private var shape: String {
        // Lookalikes are replaced both before and after case folding: a capital may look like a
        // different letter than its lower-case form does.
        let shown = CashierName.folded(text.unicodeScalars.map(CashierName.shape))
        return String(String.UnicodeScalarView(shown.unicodeScalars.map(CashierName.shape)))
    }

    private static func folded(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        scalars.filter {
            !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
        }.map(\.properties.lowercaseMapping).joined()
    }

    private static func shape(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // Full-width forms of ASCII characters are mapped to the characters themselves.
        let narrow =
            (0xFF01...0xFF5E).contains(scalar.value)
            ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
        return lookalikes[narrow] ?? narrow
    }

    /// Letters from other alphabets, digits, and symbols, each with the letter that it looks like.
    private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = {
        let families: KeyValuePairs<Unicode.Scalar, String> = [
            "a": "АаΑαɑ", "b": "ВΒ", "c": "СсϹϲ", "d": "ԁ", "e": "ЕеΕ", "g": "ɡ", "h": "НнΗһ",
            "i": "ІіΙιı", "j": "Јјϳ", "k": "КкΚκ", "l": "Iӏ1|", "m": "МмΜ", "n": "Ν",
            "o": "ОоΟο0", "p": "РрΡρ", "q": "ԛ", "s": "Ѕѕ", "t": "ТтΤτ", "u": "υ", "v": "νѵ",
            "w": "ԝѡ", "x": "ХхΧχ", "y": "УуΥγү", "z": "Ζ", "-": "‐‑‒–—−", "'": "’‘ʼ′`´",
        ]
        var known: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, others) in families {
            for other in others.unicodeScalars { known[other] = letter }
        }
        return known
    }()
}
