import Dispatch
import Glibc

/// Plays one reader for vpcd on its own thread. It is connected while a card is there, because vpcd
/// takes the end of the connection for its removal.
final class PlayedLink: Sendable {
    private struct State {
        var isEnding = false
        var descriptor: Int32?
    }

    private static let longestMessageInBytes = 65_535
    /// How soon a card that was put down is noticed.
    private static let pollingInMicroseconds: useconds_t = 2_000

    private let slot: PlayedSlot
    private let network: NetworkOfProcess
    private let state = LockedValue(State())
    private let ended = DispatchSemaphore(value: 0)

    init(_ slot: PlayedSlot, in network: NetworkOfProcess) {
        self.slot = slot
        self.network = network
        DispatchQueue(label: "played \(slot.friendlyName)").async { [self] in
            run()
            ended.signal()
        }
    }

    /// Ends the thread, and with it the connection.
    func end() {
        state.change { state in
            state.isEnding = true
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        ended.wait()
    }

    private func run() {
        while !state.change({ $0.isEnding }) {
            guard slot.hasCard, let relay = try? NetworkRelay(to: slot.port, in: network) else {
                usleep(PlayedLink.pollingInMicroseconds)
                continue
            }
            let isEnding = state.change { state in
                state.descriptor = relay.descriptor
                return state.isEnding
            }
            if !isEnding { serve(relay.descriptor) }
            slot.noteEndOfConnection()
            state.change { $0.descriptor = nil }
            relay.end()
        }
    }

    private func serve(_ descriptor: Int32) {
        while let header = receive(2, from: descriptor) {
            let length = Int(header[0]) << 8 | Int(header[1])
            guard let message = receive(length, from: descriptor) else { return }
            switch slot.reply(to: message) {
            case .bytes(let bytes):
                let frame = [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
                let sent = unsafe send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL))
                guard sent == frame.count else { return }
            case .nothing: break
            case .hangUp: return
            case .silence:
                slot.noteSilence()
                _ = receive(1, from: descriptor)
                return
            }
        }
    }

    /// Nil at the end of the connection.
    private func receive(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let flags = Int32(MSG_WAITALL)
        let received = unsafe recv(descriptor, &bytes, count, flags)
        return received == count ? bytes : nil
    }
}
