package import OperatingSystem
package import TapcardCore

/// The file that stores the API tokens. It is rejected if anyone but its owner can access it.
package struct TokenFile: ListFile, Sendable {
    package static let maximumTokens = 200

    private let list: PrivateList<APIToken>
    package var path: String { list.file.path }

    package init(path: String) {
        list = PrivateList(
            file: PrivateFile(
                path: path, secret: .tokens, kind: .fileUnusable, name: "The token file",
                meaning: "No API token is accepted until this is fixed.",
                unchanged: "The file is unchanged, and its tokens are accepted as before."),
            what: "tokens", maximumCount: TokenFile.maximumTokens)
    }

    package func stamp() throws(TapcardError) -> DurableFile.Stamp? { try list.stamp() }
    package func load() throws(TapcardError) -> [APIToken] { try list.load() }

    /// Adds a token. Throws if the name is taken: replacing a token would lock out its user.
    package func add(_ token: APIToken) throws(TapcardError) {
        try list.change { tokens throws(TapcardError) in
            guard !tokens.contains(where: { $0.name == token.name }) else {
                throw TapcardError(
                    .refusal(.badName), "There is already a token named \(token.name).",
                    meaning: "Nothing was changed.", next: [.file(.chooseOtherName)])
            }
            guard tokens.count < TokenFile.maximumTokens else {
                throw TapcardError(
                    .fileUnusable,
                    "The limit of \(TokenFile.maximumTokens) tokens has been reached.",
                    meaning: list.file.unchanged,
                    next: [.words("Revoke a token that you no longer need.")])
            }
            tokens.append(token)
        }
    }

    /// Removes the token with this name. Returns false if there is no such token.
    package func revoke(_ name: String) throws(TapcardError) -> Bool {
        try list.change { tokens in
            let count = tokens.count
            tokens.removeAll { $0.name == name }
            return tokens.count < count
        }
    }
}
