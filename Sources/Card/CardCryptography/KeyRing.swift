/// The keys of a station, oldest first; at least one of them is active.
///
/// A ring is never changed in place: every change returns a new ring.
public struct KeyRing: Hashable, Sendable {
    /// All key IDs, in the order in which they are assigned.
    static let ids: [UInt8] = Array(1...15) + [0]

    /// The keys, in the order in which they were added.
    public private(set) var entries: [KeyEntry]

    /// The newest active key, which seals new records.
    public private(set) var sealing: KeyEntry

    /// The ISO 4217 currency code of the cards that these keys seal, if set.
    public private(set) var currencyCode: String?

    /// A ring whose only key has an ID that no record can contain, so no seal is valid under it. It
    /// is for a station that has not been set up and only inspects tags.
    public static let none = KeyRing(
        sealing: makeEntry(noCardsID, created: "", random: RandomBytes.make), after: [])

    /// An ID too large for a record.
    private static let noCardsID = UInt8.max

    /// `nil` unless at least one entry is active.
    package init?(entries: [KeyEntry]) {
        guard let sealing = entries.last(where: { $0.status == .active }) else { return nil }
        self.entries = entries
        self.sealing = sealing
    }

    /// A new ring with one key, whose ID is 1.
    public static func fresh(
        created: String, random: (Int) -> [UInt8] = RandomBytes.make
    ) -> KeyRing {
        KeyRing(sealing: makeEntry(1, created: created, random: random), after: [])
    }

    private init(sealing: KeyEntry, after older: [KeyEntry]) {
        entries = older + [sealing]
        self.sealing = sealing
    }

    /// The key with this ID; `nil` if the ring lacks it.
    public func entry(_ id: UInt8) -> KeyEntry? {
        entries.first { $0.id == id }
    }

    /// This ring with a new key that seals from now on; older keys only verify. The new key's ID is
    /// neither in this ring nor in `used`, because this ring may be an outdated copy that lacks the
    /// newest keys.
    public func rotated(
        created: String, avoiding used: Set<UInt8> = [], random: (Int) -> [UInt8] = RandomBytes.make
    ) throws(KeyError) -> KeyRing {
        let new = try newEntry(created: created, avoiding: used, random: random)
        // Uses `restricted` so that a retired key stays retired.
        let older = entries.map { $0.restricted(by: .verifyOnly) }
        return KeyRing(sealing: new, after: older).sealing(currency: currencyCode)
    }

    /// This ring with one more key, which only verifies for now.
    public func preparing(
        created: String, avoiding used: Set<UInt8>, random: (Int) -> [UInt8] = RandomBytes.make
    ) throws(KeyError) -> KeyRing {
        let new = try newEntry(created: created, avoiding: used, random: random)
        var ring = self
        ring.entries.append(new.restricted(by: .verifyOnly))
        return ring
    }

    private func newEntry(
        created: String, avoiding used: Set<UInt8>, random: (Int) -> [UInt8]
    ) throws(KeyError) -> KeyEntry {
        guard let id = Self.ids.first(where: { entry($0) == nil && !used.contains($0) })
        else {
            throw KeyError(.exhausted, "all 16 key IDs have been used, and IDs are never reused")
        }
        return Self.makeEntry(id, created: created, random: random)
    }

    /// This ring with a different sealing key, chosen by agreement among the stations of one
    /// ledger. `nil` if that key is missing or retired.
    public func sealing(with id: UInt8) -> KeyRing? {
        guard let chosen = entry(id), chosen.status != .retired else { return nil }
        var ring = self
        // Uses `with`, not `restricted`: the stations have agreed that this key seals, whatever its
        // status here.
        ring.sealing = chosen.with(.active)
        // Only one key seals, so from now on, every other key only verifies.
        ring.entries = entries.map { $0.id == id ? ring.sealing : $0.restricted(by: .verifyOnly) }
        return ring
    }

    /// This ring, marked with the currency of its cards.
    public func sealing(currency code: String?) -> KeyRing {
        var ring = self
        ring.currencyCode = code
        return ring
    }

    /// This ring with one key retired: cards sealed with it are no longer trusted.
    public func retiring(_ id: UInt8) throws(KeyError) -> KeyRing {
        guard let entry = entry(id) else {
            throw KeyError(.unknownKey, "there is no key \(id)")
        }
        guard entry.status != .retired else {
            throw KeyError(.alreadyRetired, "key \(id) is already retired")
        }
        guard id != sealing.id else {
            throw KeyError(
                .sealing,
                "key \(id) is the current sealing key and cannot be retired; first make a new "
                    + "one with `tapcard keys rotate`")
        }
        return replacingOlder { $0.id == id ? $0.restricted(by: .retired) : $0 }
    }

    /// This ring with all of these keys retired. `nil` if one of them is the sealing key.
    public func retiring(_ ids: Set<UInt8>) -> KeyRing? {
        guard !ids.contains(sealing.id) else { return nil }
        return replacingOlder { ids.contains($0.id) ? $0.restricted(by: .retired) : $0 }
    }

    /// This ring with another station's keys added, so that cards sealed with them are recognized
    /// here.
    ///
    /// The sealing key does not change: imported keys only verify, and this ring's sealing key
    /// stays active even if it only verifies at the other station. If the other station has retired
    /// it, the import is refused. Any other key that is in both rings gets the more restrictive
    /// status.
    public func merging(_ other: KeyRing) throws(KeyError) -> KeyRing {
        for theirs in other.entries {
            guard let mine = entry(theirs.id) else { continue }
            // If two different keys had the same ID, there would be no way to tell which one sealed
            // a record.
            guard mine.hasSameKeys(as: theirs) else {
                throw KeyError(
                    .conflict, "key \(theirs.id) on this machine differs from the one in the file")
            }
        }
        if other.entry(sealing.id)?.status == .retired {
            throw KeyError(
                .sealing,
                "the import would retire the current sealing key \(sealing.id); rotate the keys "
                    + "first")
        }
        var merged = replacingOlder { mine in
            guard let theirs = other.entry(mine.id) else { return mine }
            return mine.restricted(by: theirs.status)
        }
        let new = other.entries.filter { entry($0.id) == nil }
        // New keys must not seal here, even if they do at the other station.
        merged.entries += new.map { $0.restricted(by: .verifyOnly) }
        return merged
    }

    /// This ring with the keys of another station of the same ledger. The new ring seals with key
    /// `id` if the other station has that key and has not retired it; the key may be new here. The
    /// other station may have retired the key that has sealed here until now.
    public func merging(_ other: KeyRing, sealing id: UInt8) throws(KeyError) -> KeyRing {
        guard sealing.id != id, let theirs = other.entry(id), theirs.status != .retired else {
            return try merging(other)
        }
        var ring = self
        // The new sealing key is set first, because the merge may retire the previous one.
        if entry(id) == nil { ring.entries.append(theirs) }
        return try (ring.sealing(with: id) ?? self).merging(other)
    }

    /// Changes every entry except the sealing one, so `sealing` still matches its entry.
    private func replacingOlder(_ change: (KeyEntry) -> KeyEntry) -> KeyRing {
        var ring = self
        ring.entries = entries.map { $0.id == sealing.id ? $0 : change($0) }
        return ring
    }

    private static func makeEntry(
        _ id: UInt8, created: String, random: (Int) -> [UInt8]
    ) -> KeyEntry {
        let keys = CardKeys(
            macMaster: random(CardKeys.masterSize), passwordMaster: random(CardKeys.masterSize),
            keyID: id)
        return KeyEntry(keys, status: .active, created: created)
    }
}

extension KeyRing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { entries.map(\.description).joined(separator: ", ") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["entries": entries]) }
}
