import BlockingLane
import Foundation
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import TextCodecs
import Verbs

/// Creates tag events as a watch does, one second apart.
final class SampleEvents: Sendable {
    private let count = Guarded(0)
    private let folders = Guarded<[String]>([])
    let seconds = Guarded<Int64>(1_700_000_000)

    deinit {
        // Leftover files in the temporary folder do no harm.
        for folder in folders.withLock({ $0 }) {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// Returns the path of a folder that is deleted together with this object.
    func folder() -> String {
        let folder = TestPath.new("bridge")
        folders.withLock { $0.append(folder) }
        return folder
    }

    var dependencies: Station.Dependencies {
        Station.Dependencies(
            now: { Timestamp(milliseconds: self.seconds.withLock { $0 } * 1_000) },
            sleep: { _ in })
    }

    var stamp: @Sendable () -> TapEvent.Stamp { { TapEvent.Stamp(self.dependencies) } }

    /// Returns the arrival of a tag with this number as its UID and this message or text, in UTF-8
    /// or not.
    func arrival(
        _ number: Int? = nil, text: [UInt8]? = nil, message: [UInt8]? = nil
    ) -> TapEvent {
        let own = count.withLock { count in
            count += 1
            return count
        }
        seconds.withLock { $0 += 1 }
        let digits = UInt32(number ?? own)
        let uid = (0..<4).map { UInt8(truncatingIfNeeded: digits >> (24 - 8 * $0)) }
        var events = TapEvents(at: "sim", showingCards: false, dependencies)
        let identity = TagIdentity(uid: uid)
        let reading = (message ?? text.map(Self.message)).map { message in
            TagReading(
                identity, kind: "NTAG216", format: .type2, message: message,
                maximumByteCount: 65_536, isWritable: true)
        }
        return events.event(for: identity, reading, TapcardError(.notACard, "No card."))
    }

    /// Returns a message with one Text record in English, whose length field has four bytes.
    private static func message(_ text: [UInt8]) -> [UInt8] {
        let payload = [0x02] + Array("en".utf8) + text
        let length = (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (24 - 8 * $0)) }
        return [0xC1, 0x01] + length + [UInt8(ascii: "T")] + payload
    }
}

extension JSONValue {
    /// The number in the UID of an event, or nil and the count of a gap.
    var numberOfArrival: Int? { self["uid"]?.string.flatMap { Int($0, radix: 16) } }
    var missedCount: Int? {
        if case .number(let text)? = self["missed"] { Int(text) } else { nil }
    }
}
