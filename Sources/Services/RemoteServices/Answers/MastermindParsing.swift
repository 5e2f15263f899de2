package import TapcardDomain

/// Parses the Mastermind service's responses.
package enum MastermindParsing {
    private static let maximumScore = 1_000_000_000
    private static let maximumNameLength = 200

    package static func token(_ body: [UInt8]) throws(ServiceError) -> MastermindToken {
        let member = try AnswerReader(body).member("access_token")
        // The token is sent back in a header, where a line break would start another header.
        guard let token = MastermindToken(try member.string(maximumLength: 4_096)) else {
            throw member.wrong("contains a character that tokens never have")
        }
        return token
    }

    package static func game(_ body: [UInt8]) throws(ServiceError) -> MastermindGameID {
        let member = try AnswerReader(body).member("gameId")
        guard let id = MastermindGameID(try member.string()) else {
            throw member.wrong("is not 32 hexadecimal digits")
        }
        return id
    }

    /// The response to a guess in a game with this many slots.
    package static func guess(
        _ body: [UInt8], slots: Int
    ) throws(ServiceError) -> MastermindAnswer {
        let answer = try AnswerReader(body)
        let pegs = try answer.member("evaluation")
        let black = try pegs.member("black").integer(in: 0...slots)
        let white = try pegs.member("white").integer(in: 0...slots)
        let count = try answer.member("guessCount").integer(in: 1...MastermindRules.maximumGuesses)
        let evaluation = MastermindEvaluation(black: black, white: white)
        guard let answer = MastermindAnswer(evaluation, guessCount: count, slots: slots) else {
            throw pegs.wrong(
                "is invalid: \(black) black and \(white) white pegs for "
                    + (slots == 1 ? "1 slot" : "\(slots) slots"))
        }
        return answer
    }

    package static func ranking(_ body: [UInt8]) throws(ServiceError) -> [MastermindRank] {
        var ranks: [MastermindRank] = []
        for row in try AnswerReader(body).elements() {
            var icons: [String] = []
            // The largest icon comes first; any of the three may be missing.
            for key in ["icon512", "icon192", "icon72"] {
                guard let icon = try row.optional(key) else { continue }
                icons.append(
                    Shown.text(try icon.string(maximumLength: 2_048), maximumLength: 2_048))
            }
            ranks.append(
                MastermindRank(
                    id: try name(row, "id"), participant: try name(row, "participantId"),
                    name: try name(row, "name"), time: try time(row.member("timestamp")),
                    score: try row.member("score").integer(in: 0...maximumScore),
                    slots: try row.member("slots").integer(in: 1...MastermindRules.maximumSlots),
                    icons: icons))
        }
        return ranks
    }

    /// A name, made safe to display, because users choose their own names.
    private static func name(_ row: AnswerReader, _ key: String) throws(ServiceError) -> String {
        Shown.text(try row.member(key).string(), maximumLength: maximumNameLength)
    }

    /// A time such as "2021-04-26 17:26:22". It is not converted, because its time zone is unknown.
    private static func time(_ member: AnswerReader) throws(ServiceError) -> String {
        let text = try member.string()
        guard CivilTime(text) != nil else {
            throw member.wrong(
                "is \"\(Shown.text(text))\", not a date and time", as: .badDate)
        }
        return text
    }
}
