import Tags
import TapcardDomain

/// Watches a reader for one card after another.
struct ReaderWatch: StationWork {
    let station: Station

    /// The shortest wait for a card; without a minimum, an impatient caller would ask without
    /// pausing.
    private static let shortestWait = Duration.seconds(1)
    /// How many misses in a row mean that a card was taken away: if it is moved a little, it is
    /// lost for a moment.
    private static let missesOfAbsence = 2
    /// How long one search for a missing reader may take, and the pause after it.
    private static let readerSearch = Duration.seconds(1)
    private static let readerInterval = Duration.milliseconds(250)

    /// Reads card after card until nobody is watching.
    func watch(
        resolving: Bool, _ show: (Station.WatchEvent) async -> Bool
    ) async {
        let patient = waiting(max(settings.wait, ReaderWatch.shortestWait))
        // A reader that was lost earlier is reported soon, not only after the usual wait for a
        // card.
        var station = waiting(ReaderWatch.shortestWait)
        var isFirst = true
        while !Task.isCancelled {
            let lying: CardUID?
            var wereSeveral = false
            do {
                let summary = try await station.read(resolving: resolving)
                (lying, isFirst) = (summary.uid, false)
                guard await show(.card(summary)) else { return }
            } catch {
                if error.kind == .cancelled { return }
                if error.result == .noCard {
                    if isFirst { guard await show(.empty) else { return } }
                    (station, isFirst) = (patient, false)
                    continue
                }
                isFirst = false
                // No particular card was asked for, so a card that replaces another is just the
                // next one.
                if error.kind == .wrongCard { continue }
                guard await show(.problem(error)) else { return }
                if error.kind != .unsupportedReader, error.result == .noReader {
                    guard await sawReaderComeBack(show) else { return }
                    (station, isFirst) = (waiting(ReaderWatch.shortestWait), true)
                    continue
                }
                lying = error.uid
                wereSeveral = error.kind == .severalTags
            }
            let lost = await waitForRemoval(of: lying, wereSeveral: wereSeveral)
            if Task.isCancelled { return }
            guard await show(.gone) else { return }
            if let lost {
                guard await show(.problem(TapcardError(lost))), await sawReaderComeBack(show)
                else { return }
                (station, isFirst) = (waiting(ReaderWatch.shortestWait), true)
            }
        }
    }

    private func waiting(_ wait: Duration) -> Station {
        var station = station
        station.settings.wait = wait
        return station
    }

    /// Returns once the reader is empty or has a different card from this one, or from the first
    /// one seen; returns the error if the reader itself is gone.
    private func waitForRemoval(of card: CardUID?, wereSeveral: Bool) async -> ReaderError? {
        var lying = card?.bytes
        var misses = 0
        var wereSeveral = wereSeveral
        while !Task.isCancelled {
            do {
                let uid = try await reader.select(within: .zero).uid
                // If several cards were there, the one that is left was never read, so it counts as
                // a new one.
                if lying == nil ? wereSeveral : lying != uid { break }
                lying = uid
                misses = 0
            } catch {
                switch error.kind {
                case .severalTags:
                    misses = 0
                    wereSeveral = true
                case .noTag, .tagLost, .garbled, .timedOut, .refused, .unsupported:
                    misses += 1
                case .noReader, .busy, .readerLost: return error
                case .cancelled: return nil
                }
                if misses >= ReaderWatch.missesOfAbsence { break }
            }
            do { try await surroundings.sleep(Station.presenceInterval) } catch { break }
        }
        await reader.release()
        return nil
    }

    /// Waits for the reader and reports it; false if nobody is watching.
    private func sawReaderComeBack(_ show: (Station.WatchEvent) async -> Bool) async -> Bool {
        guard await waitForReader() else { return false }
        return await show(.readerIsBack(name: reader.name))
    }

    /// Returns once there is a reader again; false if the task was canceled first.
    private func waitForReader() async -> Bool {
        while !Task.isCancelled {
            do {
                _ = try await reader.select(within: ReaderWatch.readerSearch)
                return true
            } catch {
                switch error.kind {
                case .noReader, .busy, .readerLost, .cancelled: break
                // Any other answer shows that there is a reader.
                default: return true
                }
            }
            do { try await surroundings.sleep(ReaderWatch.readerInterval) } catch { break }
        }
        return false
    }
}
