public import Tags

/// A reader driven by libnfc. A process can have only one at a time.
///
/// Any failure between libnfc and the reader closes the connection; the next `select` reopens it.
/// That way, a late response is never mistaken for the response to another command.
@LibNFCLane
public final class LibNFCReader: TagReader {
    /// The interval between two searches for a tag.
    private static let pollingInterval = Duration.milliseconds(80)
    /// The maximum number of bytes in a frame to a tag. No frame for a Type 2 tag is that long.
    private static let maximumFrameLength = 64

    public nonisolated let name: String
    public nonisolated let maximumAnswerLength: Int
    /// The chip and its firmware, such as `PN532 1.6`.
    public nonisolated let firmware: String

    private let owner: LibNFC
    private let connection: ConnectionString
    private nonisolated let ticket: UInt64
    private let abortSwitch: AbortSwitch
    private let swapsBytes: Bool
    private var radio: LibNFCField
    private var isClosed = false

    private init(
        _ connection: ConnectionString, of owner: LibNFC, ticket: UInt64,
        _ abortSwitch: AbortSwitch
    ) throws(ReaderError) {
        let device = try owner.open(connection, abortSwitch)
        // libnfc's serial driver ignores a failed initialization, so only a response from the chip
        // shows that there is a reader.
        guard case .answer(let version) = device.send(.firmwareVersion),
            let firmware = Firmware(version)
        else {
            owner.closeDevice()
            throw ReaderError(.noReader, "\(connection.text) does not report its chip")
        }
        self.owner = owner
        self.connection = connection
        self.ticket = ticket
        self.abortSwitch = abortSwitch
        self.firmware = "\(firmware)"
        // A PN531 returns the ATQA in reverse byte order; see `TagList`.
        swapsBytes = firmware.isPN531
        maximumAnswerLength = connection.driver.maximumAnswerLength
        name = device.name
        radio = LibNFCField()
    }

    deinit {
        // This is only a safety net for callers that forget to call `close`. The device is closed
        // on the lane, because only code on the lane may use it.
        let ticket = ticket
        Task { @LibNFCLane in
            try? LibNFC.started().giveBack(ticket)
        }
    }

    /// Opens the reader with this name, which comes from `connectedReaders` or from the user.
    public static func open(_ connection: String) async throws(ReaderError) -> LibNFCReader {
        let connection = try ConnectionString(connection)
        let owner = try LibNFC.started()
        let ticket = try owner.reserve()
        do throws(ReaderError) {
            return try LibNFCReader(connection, of: owner, ticket: ticket, AbortSwitch())
        } catch {
            owner.giveBack(ticket)
            throw error
        }
    }

    /// The names of the readers that libnfc finds on USB and in its configuration. Throws `.busy`
    /// while a reader is open, because the search would disturb it.
    public static func connectedReaders() async throws(ReaderError) -> [String] {
        try LibNFC.started().list()
    }

    /// The state of libnfc: missing, usable, or unusable.
    public nonisolated static func libraryPresence() -> LibNFCPresence {
        LibNFCLibrary.presence()
    }

    /// libnfc's description of the reader, several lines long.
    public func information() async throws(ReaderError) -> String {
        try connected().information
    }

    /// Closes the reader permanently. Further calls have no effect.
    public func close() async {
        isClosed = true
        radio = LibNFCField()
        owner.giveBack(ticket)
    }

    @LibNFCLane public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity
    {
        let wait = abortSwitch.nextWait()
        // A cancellation handler can run on any thread, so it uses only the switch.
        let abortSwitch = abortSwitch
        let result: Result<TagIdentity, ReaderError> = await withTaskCancellationHandler {
            do throws(ReaderError) {
                return .success(try await waitForTag(within: limit, wait))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            abortSwitch.cancel(wait)
        }
        return try result.get()
    }

    @LibNFCLane public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        let isFrame = (1...Self.maximumFrameLength).contains(frame.count)
        precondition(isFrame, "not a frame for a tag")
        guard let device = isClosed ? nil : owner.device else {
            throw ReaderError(.readerLost, "\(name) is not open")
        }
        let answer = try closingIfBroken { () throws(ReaderError) in
            try radio.exchange(frame, device)
        }
        switch answer {
        case .acknowledged: return []
        case .refused(let code): throw ReaderError(.refused(code))
        case .data(let bytes): return bytes
        }
    }

    @LibNFCLane public func exchange(
        command: [UInt8]
    ) async throws(ReaderError) -> [UInt8] {
        guard let device = isClosed ? nil : owner.device else {
            throw ReaderError(.readerLost, "\(name) is not open")
        }
        return try closingIfBroken { () throws(ReaderError) in
            try radio.exchange(command: command, device)
        }
    }

    @LibNFCLane public var answerToSelect: [UInt8] { get async { radio.answerToSelect } }

    @LibNFCLane public func release() async {
        guard let device = isClosed ? nil : owner.device else { return }
        // If the reader no longer responds, `closingIfBroken` closes it.
        try? closingIfBroken { () throws(ReaderError) in try radio.switchOff(device) }
    }

    private func waitForTag(
        within limit: Duration, _ wait: UInt64
    ) async throws(ReaderError) -> TagIdentity {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        while true {
            if Task.isCancelled { throw ReaderError(.cancelled) }
            let device = try connected()
            let tag = try closingIfBroken { () throws(ReaderError) in
                try radio.select(device, wait, swapsBytes: swapsBytes)
            }
            if let tag { return tag }
            // The limit is checked after the search, so that there is at least one search even if
            // it is zero.
            let rest = clock.now.duration(to: end)
            guard rest > .zero else { throw ReaderError(.noTag) }
            do {
                try await Task.sleep(for: min(Self.pollingInterval, rest))
            } catch {
                throw ReaderError(.cancelled)
            }
        }
    }

    /// Returns the device; reopens it if it was closed after a failure.
    private func connected() throws(ReaderError) -> LibNFCDevice {
        guard !isClosed else { throw ReaderError(.noReader, "\(name) is closed") }
        if let device = owner.device { return device }
        radio = LibNFCField()
        return try owner.open(connection, abortSwitch)
    }

    /// Runs a step, and closes the device if the step shows that the device can no longer be
    /// trusted.
    private func closingIfBroken<Success>(
        _ step: () throws(ReaderError) -> Success
    ) throws(ReaderError) -> Success {
        do throws(ReaderError) {
            return try step()
        } catch {
            if radio.isBroken {
                owner.closeDevice()
                radio = LibNFCField()
            }
            throw error
        }
    }
}
