import CardCryptography
import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

enum KeyImport {
    /// Imports keys from a file. They are merged with the station's keys, or they replace its table
    /// of card keys.
    static func importKeys(in session: Session) async throws(TapcardError) -> Report {
        let path = session[.file()]
        try NamedFile(path).requireExisting()
        let imported = try await imported(from: path, in: session)
        let issuer = try await LedgerAccess(session).issuerKeys()
        let known = Set(((try? session.keyFile.load()) ?? nil)?.entries.map(\.id) ?? [])
        try session.places.makeDataFolder()
        let isTable = try session.keyFile.load()?.isTable ?? true
        // If keys are merged instead, `changeKeys` records the retired ones.
        if isTable, let ledger = try await session.existingLedger() {
            try await KeyCommands.recordRetired(in: imported, [], ledger, in: session)
        }
        let wasSavedWhole = try session.keyFile.withExclusiveLock { () throws(TapcardError) in
            if let older = try session.keyFile.load() {
                // Two rings of master keys are merged below. A table can be replaced, but it never
                // replaces master keys.
                guard imported.isTable || older.isTable else { return false }
                _ = try older.changed { older throws(KeyError) in try imported.replacing(older) }
                // The journal is changed first, so that if saving the key file fails, repeating the
                // same import completes both.
                try session.journal.payments.changeKeys(from: older, to: imported)
            }
            try session.keyFile.save(imported)
            return true
        }
        if !wasSavedWhole {
            _ = try await KeyCommands.changeKeys(in: session) { keys throws(KeyError) in
                guard let sealing = issuer?.sealing else { return try keys.merging(imported) }
                return try keys.merging(imported, sealing: sealing)
            }
        }
        let keys = try await session.keys().ordered(by: issuer)
        let ledger = try? await session.existingLedger()
        // This also reports to the ledger that the station has the keys, because a rotation waits
        // for that.
        if issuer != nil, let ledger { try await session.requireCommonKeys(keys, ledger) }
        let retired = (try? await ledger?.retiredKeys()) ?? []
        let retiredIDs = Set(keys.entries.filter { $0.status == .retired }.map(\.id)).union(retired)
        // Retired keys stay retired, even when an older copy contains them.
        let stillRetired = imported.entries.filter {
            $0.status != .retired && retiredIDs.contains($0.id)
        }
        let new = imported.entries.count { key in
            !known.contains(key.id) && !stillRetired.contains { $0.id == key.id }
        }
        let currency = ledger?.currency
        let usesOtherCurrency =
            imported.currencyCode != nil && currency != nil
            && imported.currencyCode != currency?.code
        return Report(
            [
                "keys": .array(keys.entries.map { .number(String($0.id)) }),
                "currency": .text(imported.currencyCode),
            ] + Report.table(of: keys),
            [
                (keys.isTable
                    ? "Card keys imported for \(keys.cardCount)" : "Keys imported: \(new)")
                    + "; new records are sealed with key \(keys.sealing.id)"
            ]
                + stillRetired.map { "Key \($0.id) is retired here and stays retired" }
                + lacking(issuer?.sealing, keys)
                + (usesOtherCurrency
                    ? [
                        "The keys come from a station that uses \(imported.currencyCode ?? ""), "
                            + "and this one uses \(currency?.code ?? ""): that station's cards "
                            + "are recognized here but refused"
                    ] : []),
            isChange: true)
    }

    private static func lacking(_ sealing: UInt8?, _ keys: KeyRing) -> [String] {
        guard let sealing, keys.sealing.id != sealing else { return [] }
        return [
            "This station lacks key \(sealing), which seals the records; run tapcard keys export "
                + "FILE at a station that has it, then import the file here: tapcard keys import "
                + "FILE"
        ]
    }

    private static func imported(
        from path: String, in session: Session
    ) async throws(TapcardError) -> KeyRing {
        let fileContents: KeyFile.ImportedKeys?
        do {
            fileContents = try KeyFile(path: path).importedKeys()
        } catch {
            if error.kind == .cancelled { throw error }
            throw TapcardError(
                .fileUnusable, error.what, meaning: KeyRotation.unchanged,
                advice:
                    "The file must come from tapcard keys export and be readable only by its owner."
            )
        }
        switch fileContents {
        case .ring(let keys): return keys
        case .sealed(let table): return try await CardTableCommand.opened(table, path, in: session)
        case nil: throw TapcardError(.fileUnusable, "The file \(path) does not exist.")
        }
    }
}
