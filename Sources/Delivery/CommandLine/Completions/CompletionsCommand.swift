import TapcardCore
import TextCodecs
import Verbs

extension Parameter<Shell> {
    fileprivate static var shell: Self {
        .argument("SHELL", .choice(Shell.self), "Your shell: bash, zsh, or fish")
    }
}

extension Command {
    static let completions =
        Command(
            "completions", group: .station, "Print a completion script for your shell",
            takes: .shell, answers: .script,
            example: "tapcard completions bash > ~/.local/share/bash-completion/completions/tapcard"
        ) { session throws(TapcardError) in
            let script = CommandTable.tapcard(session.verbs()).completion(for: session[.shell])
            // The report adds its own newline.
            return Report(
                ["script": .string(script)],
                [script.hasSuffix("\n") ? String(script.dropLast()) : script], isPlain: true)
        }
}
