import CardCryptography
import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

enum KeyImport {
    /// Imports keys from a file. They are merged with the station's keys, if it has any.
    static func importKeys(in session: Session) async throws(TapcardError) -> Report {
        let path = session[.file()]
        try NamedFile(path).requireExisting()
        let imported = try imported(from: path)
        let issuer = try await LedgerAccess(session).issuerKeys()
        let known = Set(((try? session.keyFile.load()) ?? nil)?.entries.map(\.id) ?? [])
        try session.places.makeDataFolder()
        // If keys are merged instead, `changeKeys` records the retired ones.
        if try session.keyFile.load() == nil, let ledger = try await session.existingLedger() {
            try await KeyCommands.recordRetired(in: imported, [], ledger, in: session)
        }
        let wasSavedWhole = try session.keyFile.withExclusiveLock { () throws(TapcardError) in
            guard try session.keyFile.load() == nil else { return false }
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
            ],
            [
                "Keys imported: \(new); new records are sealed with key \(keys.sealing.id)"
            ]
                + stillRetired.map { "Key \($0.id) is retired here and stays retired" }
                + lacking(issuer?.sealing, keys)
                + (usesOtherCurrency
                    ? [
                        "The keys come from a machine that uses \(imported.currencyCode ?? ""), "
                            + "and this one uses \(currency?.code ?? ""): that machine's cards "
                            + "are recognized here but refused"
                    ] : []),
            isChange: true)
    }

    private static func lacking(_ sealing: UInt8?, _ keys: KeyRing) -> [String] {
        guard let sealing, keys.sealing.id != sealing else { return [] }
        return [
            "This machine lacks key \(sealing), which seals the records; run tapcard keys export "
                + "FILE on a server that has it, then import the file here: tapcard keys import "
                + "FILE"
        ]
    }

    private static func imported(
        from path: String
    ) throws(TapcardError) -> KeyRing {
        let keys: KeyRing?
        do {
            keys = try KeyFile(path: path).importedKeys()
        } catch {
            if error.kind == .cancelled { throw error }
            throw TapcardError(
                .fileUnusable, error.what, meaning: KeyRotation.unchanged,
                advice:
                    "The file must come from tapcard keys export and be readable only by its owner."
            )
        }
        guard let keys else {
            throw TapcardError(.fileUnusable, "The file \(path) does not exist.")
        }
        return keys
    }
}
