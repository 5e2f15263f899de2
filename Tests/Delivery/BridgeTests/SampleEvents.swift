import BlockingLane
import Foundation
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import TextCodecs
import Verbs

/// Makes events of tags as a watch does, each a second later than the one before.
final class SampleEvents: Sendable {
    private let count = Guarded(0)
    private let folders = Guarded<[String]>([])
    let seconds = Guarded<Int64>(1_700_000_000)

    deinit {
        // What cannot be removed does no harm there.
        for folder in folders.withLock({ $0 }) {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// The path of a folder that is removed with these events.
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

    /// The arrival of a tag that has this number as its UID.
    func arrival(_ number: Int? = nil) -> TapEvent {
        let own = count.withLock { count in
            count += 1
            return count
        }
        seconds.withLock { $0 += 1 }
        let digits = UInt32(number ?? own)
        let uid = (0..<4).map { UInt8(truncatingIfNeeded: digits >> (24 - 8 * $0)) }
        var events = TapEvents(at: "sim", showingCards: false, dependencies)
        return events.event(
            for: TagIdentity(uid: uid), nil, TapcardError(.notACard, "No card."))
    }
}

extension JSONValue {
    /// The number in the UID of an event, or nil and the count of a gap.
    var numberOfArrival: Int? { self["uid"]?.string.flatMap { Int($0, radix: 16) } }
    var missedCount: Int? {
        if case .number(let text)? = self["missed"] { Int(text) } else { nil }
    }
}
