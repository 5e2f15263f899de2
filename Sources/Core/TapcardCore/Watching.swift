import TagReading
import TapcardDomain

extension Station {
    /// How often an occupied reader is asked whether the card still lies there.
    private static let presenceInterval = Duration.milliseconds(100)

    /// Reads card after card until the task is cancelled, the reader is gone, or `show` says that
    /// nobody looks any more. A card left lying is one tap; an empty reader is no error.
    public func watch(
        settling: Bool, _ show: (Result<CardReading, TapcardError>) async -> Bool
    ) async throws(TapcardError) {
        while !Task.isCancelled {
            do {
                guard await show(.success(try await read(settling: settling))) else { return }
            } catch {
                switch error.result {
                case .noCard: continue
                case .noReader: throw error
                default:
                    if error.kind == .cancelled { return }
                    guard await show(.failure(error)) else { return }
                }
            }
            await waitForRemoval()
        }
    }

    /// Returns once the reader is empty or carries another card.
    private func waitForRemoval() async {
        var lying: TagIdentity?
        while !Task.isCancelled {
            do {
                let identity = try await reader.select(within: .zero)
                if let lying, lying != identity { break }
                lying = identity
            } catch {
                if error.kind != .severalTags { break }
            }
            do { try await surroundings.sleep(Station.presenceInterval) } catch { break }
        }
        await reader.release()
    }
}
