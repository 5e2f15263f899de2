@_spi(_Unicode) import Swift

extension String {
    /// The text in ASCII: symbols become their names, letters lose their accents, and other
    /// characters become question marks.
    package var ascii: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var text = ""
        // In decomposed form (NFD), an accent is a scalar of its own, so it can be left out.
        // CN¥ is replaced first, because ¥ alone means another currency.
        for scalar in replacing("CN¥", with: "CNY ")._nfd {
            if scalar.isASCII {
                text.unicodeScalars.append(scalar)
            } else if let word = String.asciiWords[scalar] {
                text += word
            } else if scalar.properties.generalCategory != .nonspacingMark {
                text += "?"
            }
        }
        return text
    }

    private static let asciiWords: [Unicode.Scalar: String] = {
        var words: [Unicode.Scalar: String] = [
            "€": "EUR ", "£": "GBP ", "¥": "JPY ", "₹": "INR ", "₩": "KRW ",
            "✓": "ok", "✗": "!!", "…": "...", "“": "\"", "”": "\"", "’": "'",
            "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ı": "i", "ß": "ss",
            "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D",
        ]
        for (signs, word) in [
            ("╭╮╰╯╔╗╚╝", "+"), ("─", "-"), ("═", "="), ("│║", "|"), ("⠋⠼⠇", "|"), ("⠙⠴⠏", "/"),
            ("⠹⠦", "-"), ("⠸⠧", "\\"),
        ] {
            for sign in signs.unicodeScalars { words[sign] = word }
        }
        return words
    }()
}
