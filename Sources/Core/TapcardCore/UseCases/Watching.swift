import Cards
import Tags
import TapcardDomain

/// Watches a reader for one card after another.
struct ReaderWatch: StationWork {
    let station: Station
    /// Returns whether to read a tag that is not a card. Called for each such tag.
    var readsTags: @Sendable () -> Bool = { false }

    /// The shortest wait for a card. Without this minimum, the watch would poll without pausing if
    /// the caller set a very short wait.
    private static let minimumWait = Duration.seconds(1)
    /// How long one search for a missing reader may take.
    private static let readerSearch = Duration.seconds(1)
    /// The pause between two searches for a missing reader.
    private static let readerInterval = Duration.milliseconds(250)

    /// Reads one card after another until the task is canceled or a callback returns false.
    ///
    /// If `readsTags` returns true, calls `showTag` for a tag that is not a card, with the reason
    /// and, if it can be read, the tag's content.
    func watch(
        resolving: Bool,
        showTag: (TagIdentity, TagReading?, TapcardError) async -> Bool,
        _ show: (Station.WatchEvent) async -> Bool
    ) async {
        await watch(show) { station throws(TapcardError) in
            var unknown: CardReading?
            do throws(TapcardError) {
                let summary = try await ReadCard.summary(
                    resolving: resolving, at: station, &unknown)
                return (summary.uid.bytes, await show(.card(summary)))
            } catch {
                guard readsTags(), let (tag, reading) = await tagThatIsNoCard(error, unknown)
                else { throw error }
                return (tag.uid, await showTag(tag, reading, error))
            }
        }
    }

    /// Waits for one tag after another until the task is canceled or a callback ends the watch.
    /// `tap` waits for the next tag, reads and shows it, and returns its UID.
    func watch(
        _ show: (Station.WatchEvent) async -> Bool,
        tap: (Station) async throws(TapcardError) -> (uid: [UInt8], continues: Bool)
    ) async {
        let patient = waiting(max(settings.wait, ReaderWatch.minimumWait))
        // The first wait is short, so that a reader that is already lost is reported soon.
        var station = waiting(ReaderWatch.minimumWait)
        var isFirst = true
        while !Task.isCancelled {
            let present: [UInt8]?
            var sawSeveral = false
            do throws(TapcardError) {
                let (uid, continues) = try await tap(station)
                (present, isFirst) = (uid, false)
                guard continues else { return }
            } catch {
                // The caller stopped watching.
                if error.kind == .cancelled { return }
                if error.result == .noCard {
                    if isFirst { guard await show(.empty) else { return } }
                    // The reader works, so from now on it can wait longer for a card.
                    (station, isFirst) = (patient, false)
                    continue
                }
                isFirst = false
                // No particular card was requested, so if another card has taken the first one's
                // place, it is simply the next card.
                if error.kind == .wrongCard { continue }
                guard await show(.problem(error)) else { return }
                if error.kind != .unsupportedReader, error.result == .noReader {
                    guard await readerCameBack(show) else { return }
                    (station, isFirst) = (waiting(ReaderWatch.minimumWait), true)
                    continue
                }
                present = error.uid?.bytes
                sawSeveral = error.kind == .severalTags
            }
            let lost = await waitForRemoval(of: present, sawSeveral: sawSeveral)
            if Task.isCancelled { return }
            guard await show(.gone) else { return }
            if let lost {
                guard await show(.problem(TapcardError(lost))), await readerCameBack(show)
                else { return }
                (station, isFirst) = (waiting(ReaderWatch.minimumWait), true)
            }
        }
    }

    /// Returns the tag that caused this error, with its content; nil if the error is not about a
    /// single tag or the tag is gone. A tag is read again only if `unknown` lacks its content.
    private func tagThatIsNoCard(
        _ error: TapcardError, _ unknown: CardReading?
    ) async -> (TagIdentity, TagReading?)? {
        if [.notACard, .blankTag].contains(error.kind), let unknown, unknown.uid == error.uid,
            let tag = unknown.pages?.tag, tag.holdsDataArea
        {
            // The dynamic lock bytes were not read, but no event reports whether a tag is locked.
            let isLocked = tag.locks.contains { $0 != 0 }
            return (unknown.identity, TagReading(unknown.identity, tag, isLocked: isLocked))
        }
        switch error.result {
        case .refused, .untrusted, .failed: break
        case .usage, .noCard, .noReader, .unknown, .service, .ledger: return nil
        }
        // Several tags at once also get here, with an error that is not about one of them.
        guard ![.severalTags, .cancelled, .wrongCard].contains(error.kind),
            let tag = try? await reader.select(within: Station.returnLimit)
        else { return nil }
        // The tag may have been swapped for another one.
        if let uid = error.uid, uid.bytes != tag.uid { return nil }
        // An unreadable tag is still reported, with the original error.
        return (tag, try? await station.messages.read(tag))
    }

    private func waiting(_ wait: Duration) -> Station {
        var station = station
        station.settings.wait = wait
        return station
    }

    /// Returns once this card has been removed from the reader or another card has taken its place.
    /// If no card is given, waits for the removal of the first card seen. Returns the error if the
    /// reader itself is gone.
    func waitForRemoval(of card: [UInt8]?, sawSeveral: Bool) async -> ReaderError? {
        let sleep = dependencies.sleep
        return await reader.waitForRemoval(of: card, sawSeveral: sawSeveral) {
            try await sleep(Station.presenceInterval)
        }
    }

    /// Waits for the reader and reports that it is back. Returns false if watching is over.
    private func readerCameBack(_ show: (Station.WatchEvent) async -> Bool) async -> Bool {
        guard await waitForReader() else { return false }
        return await show(.readerReturned(name: reader.name))
    }

    /// Returns true once there is a reader again, or false if the task is canceled first.
    private func waitForReader() async -> Bool {
        while !Task.isCancelled {
            do {
                _ = try await reader.select(within: ReaderWatch.readerSearch)
                return true
            } catch {
                switch error.kind {
                case .noReader, .busy, .readerLost, .cancelled: break
                // Any other error shows that there is a reader.
                default: return true
                }
            }
            do { try await dependencies.sleep(ReaderWatch.readerInterval) } catch { break }
        }
        return false
    }
}
