@_spi(_Unicode) import Swift

extension String {
    /// The text in ASCII: symbols become their names, letters lose their accents, and other
    /// characters become question marks.
    package var ascii: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var text = ""
        // In decomposed form (NFD), an accent is a separate scalar, so it can be left out. CN¥ is
        // replaced first, because ¥ alone means yen.
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
        for (symbols, word) in [
            ("╭╮╰╯╔╗╚╝", "+"), ("─", "-"), ("═", "="), ("│║", "|"), ("⠋⠼⠇", "|"), ("⠙⠴⠏", "/"),
            ("⠹⠦", "-"), ("⠸⠧", "\\"),
        ] {
            for symbol in symbols.unicodeScalars { words[symbol] = word }
        }
        return words
    }()
}
