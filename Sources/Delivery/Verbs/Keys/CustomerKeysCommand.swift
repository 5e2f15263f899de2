import CardCryptography
import Ledger
import OperatingSystem
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<String> {
    fileprivate static var customerKeyFile: Self {
        .file("File to write, or `-` for standard output")
    }
}

extension Parameter<Bool> {
    fileprivate static var overwriteKeys: Self {
        .flag("overwrite", "Replace an existing key file for the customer page")
    }
}

extension Command {
    static let keysForCustomers = Command(
        "keys customers", group: .station, "Create the key file for the customer page",
        discussion: "With this file, a server can tell which NTAG 424 card a phone has read; the "
            + "file cannot be used to write cards or to derive other keys. Run the command again "
            + "with `--overwrite` after `tapcard keys rotate` and `tapcard keys retire`.",
        takes: .customerKeyFile, .overwriteKeys, answers: .file,
        example: "tapcard keys customers customer-keys.json", run: CustomerKeysCommand.write)
}

enum CustomerKeysCommand {
    static func write(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.customerKeyFile])
        try file.requireOutput("The keys", session.outputOptions)
        try requireReplaceable(file, in: session)
        let ring = try await session.keys()
        let ledger = try await session.existingLedger()
        // An offline ledger is an error, because it may have retired a key that this file would
        // trust.
        let retired = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger?.retiredKeys() ?? []
        }
        let keys = CustomerKeys(of: ring, without: retired)
        guard !keys.pairs.isEmpty else {
            throw TapcardError(
                .keysUnusable, "The ledger has retired every key of this machine.",
                meaning: "No file was written.",
                advice:
                    "Run tapcard keys export FILE on another server, then import the file here: "
                    + "tapcard keys import FILE")
        }
        if file.isStream {
            session.output.write(CustomerKeyFile.text(of: keys))
            return .nothing
        }
        try CustomerKeyFile(path: file.path).save(keys)
        return Report(
            ["file": .string(file.path)],
            [
                "Key file for the customer page written to \(file.path)",
                "Copy it to the server, and set --customers-keys there",
            ], isChange: true)
    }

    /// Refuses to replace an existing file, unless the user allows it and the file is a key file
    /// for the customer page, so that a mistyped name cannot destroy another file.
    private static func requireReplaceable(
        _ file: NamedFile, in session: Session
    ) throws(TapcardError) {
        let path = file.path
        let exists = (try? DurableFile(path).permissions()) != nil
        guard !file.isStream, exists else { return try file.requireAbsent() }
        guard session[.overwriteKeys] else {
            throw TapcardError(
                .fileUnusable, "The file \(path) already exists.", meaning: "Nothing was done.",
                advice: "Choose another name, or add --overwrite to replace a key file of the "
                    + "customer page.")
        }
        _ = try translating(CustomerKeyFile(path: path).load(orSay: "")) { (error: TapcardError) in
            TapcardError(
                .fileUnusable,
                "The file \(path) was not replaced, because it could not be read as a key file of "
                    + "the customer page. \(error.what)",
                meaning: "Nothing was done.",
                advice: "Choose another name.")
        }
    }
}
