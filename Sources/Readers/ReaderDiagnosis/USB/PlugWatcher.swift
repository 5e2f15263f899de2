import BlockingLane
import CLibUSB
import Glibc

/// An event that `PlugWatcher` reports.
public enum PlugEvent: Sendable, Hashable {
    /// The first event: the readers present at the start. Changes after that are not missed.
    case watching([ConnectedReader])
    case arrived(ConnectedReader)
    case left(ConnectedReader)
}

/// Reports when readers are plugged in and unplugged.
///
/// libusb reports that something has changed, and sysfs shows what has changed. If libusb cannot
/// report changes, for example in a container without udev, sysfs is polled.
public struct PlugWatcher: Sendable {
    /// The maximum number of events in the queue. A consumer that reads too slowly loses the oldest
    /// events, but a bus with that many changes is unusable anyway.
    private static let maximumQueuedEvents = 256

    private let discovery: ReaderDiscovery
    private let interval: Duration

    /// Creates a watcher. `interval` is the time between checks while no change is reported.
    public init(_ discovery: ReaderDiscovery = ReaderDiscovery(), interval: Duration = .seconds(2))
    {
        self.discovery = discovery
        self.interval = interval
    }

    /// Returns a stream of events. When the stream is dropped, or when the task that reads it is
    /// canceled, the watcher stops within a quarter of a second and releases its resources.
    public func events() -> AsyncStream<PlugEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.maximumQueuedEvents)) { continuation in
            let lane = PlugLane(discovery, interval)
            let task = Task {
                await lane.watch { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// The thread that waits for libusb.
private actor PlugLane {
    /// The maximum wait between checks for cancellation.
    private static let waitInMicroseconds = 250_000
    /// How long to keep checking frequently after a report. The kernel reports a device's removal
    /// before the device's folder is gone, and a new device gets its folder before its node.
    private static let settling = Duration.milliseconds(500)
    private static let settlingWaitInMicroseconds = 20_000

    private nonisolated let lane = BlockingLane(label: "tapcard.plugging")
    private let discovery: ReaderDiscovery
    private let interval: Duration

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.asUnownedSerialExecutor() }

    init(_ discovery: ReaderDiscovery, _ interval: Duration) {
        self.discovery = discovery
        self.interval = interval
    }

    func watch(_ report: @Sendable (PlugEvent) -> Void) {
        let hasUsedLibUSB =
            unsafe discovery.tree.isSystemRoot
            && LibUSB.withSession { session in
                unsafe PlugSignal.with(session) { signal in
                    monitor(report) { unsafe signal.wait(session, $0) }
                }
            } == true
        guard !hasUsedLibUSB else { return }
        // Without libusb, the wait is a plain pause that never reports a change.
        monitor(report) {
            usleep(useconds_t($0))
            return false
        }
    }

    /// Compares the current readers with the previous ones after each reported change and at
    /// intervals. `wait` returns whether a change was reported.
    private func monitor(_ report: (PlugEvent) -> Void, _ wait: (_ microseconds: Int) -> Bool) {
        var devices = knownDevices()
        var present = readers(devices)
        report(.watching(devices.compactMap { present[$0] }))
        var last = ContinuousClock.now
        var settled = last
        // Whether a reader has appeared whose device node is still missing.
        var isAwaitingNode = false
        while !Task.isCancelled {
            let isSettling = settled > .now
            if wait(isSettling ? Self.settlingWaitInMicroseconds : Self.waitInMicroseconds) {
                settled = .now + Self.settling
            } else if !isSettling, !isAwaitingNode, last.duration(to: .now) < interval {
                continue
            }
            last = .now
            let now = knownDevices()
            for device in devices where !now.contains(device) {
                if let reader = present.removeValue(forKey: device) { report(.left(reader)) }
            }
            let new = readers(now.filter { !devices.contains($0) })
            // A reader without its node is not reported yet, because it would count as unusable.
            let early = isSettling ? new.filter { $0.value.node.access == .missing } : [:]
            isAwaitingNode = !early.isEmpty
            for (device, reader) in new.sorted(by: { $0.value.place < $1.value.place })
            where early[device] == nil {
                present[device] = reader
                report(.arrived(reader))
            }
            // Readers without a node are left out, so that they count as new the next time.
            devices = now.filter { early[$0] == nil }
        }
    }

    private func knownDevices() -> [USBIdentity] {
        discovery.sysfsIdentities().filter { $0.model != nil }
            .sorted { ($0.bus, $0.address) < ($1.bus, $1.address) }
    }

    private func readers(_ devices: [USBIdentity]) -> [USBIdentity: ConnectedReader] {
        Dictionary(
            zip(devices, discovery.readers(among: devices)), uniquingKeysWith: { first, _ in first }
        )
    }
}

/// Stores whether libusb has reported a change. No lock is needed: libusb runs the callback on the
/// thread that handles its events, inside that call.
private final class PlugSignal {
    private var isRaised = false

    /// The callback, which libusb calls on the lane's thread. It is a constant with a C function
    /// type, so that it does not belong to any actor.
    private static let raise:
        @convention(c) (
            OpaquePointer?, OpaquePointer?, libusb_hotplug_event, UnsafeMutableRawPointer?
        ) -> Int32 = { _, _, _, signal in
            if let signal = unsafe signal {
                unsafe Unmanaged<PlugSignal>.fromOpaque(signal).takeUnretainedValue().isRaised =
                    true
            }
            // Any other value would end the subscription.
            return 0
        }

    /// Runs the body while subscribed to changes. If it is not possible to subscribe, returns
    /// `false` without running the body.
    static func with(_ session: OpaquePointer, _ body: (PlugSignal) -> Void) -> Bool {
        guard tapcard_libusb_has_hotplug() != 0 else { return false }
        let signal = PlugSignal()
        var handle: libusb_hotplug_callback_handle = 0
        let result = unsafe tapcard_libusb_watch(
            session, raise, Unmanaged.passUnretained(signal).toOpaque(), &handle)
        guard result == 0 else { return false }
        body(signal)
        unsafe libusb_hotplug_deregister_callback(session, handle)
        // The C library does not hold a reference, so the signal must be kept alive until the
        // subscription has ended.
        withExtendedLifetime(signal) {}
        return true
    }

    /// Waits for a change for at most this long; returns `true` if there was one.
    func wait(_ session: OpaquePointer, _ microseconds: Int) -> Bool {
        var time = timeval(tv_sec: 0, tv_usec: microseconds)
        guard unsafe libusb_handle_events_timeout_completed(session, &time, nil) == 0 else {
            // If libusb returns an error immediately, the caller must not end up in a busy loop.
            usleep(useconds_t(microseconds))
            return false
        }
        defer { isRaised = false }
        return isRaised
    }
}
