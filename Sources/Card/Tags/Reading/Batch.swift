/// A frame or command in a batch, with the response it must get before the next one is sent.
public struct BatchItem: Hashable, Sendable {
    /// What is sent.
    public enum Message: Hashable, Sendable {
        /// A frame, without its CRC.
        case frame([UInt8])
        /// A command to a card that uses ISO/IEC 14443-4.
        case command([UInt8])
    }

    /// The response that is required before the next item is sent.
    public enum Expectation: Hashable, Sendable {
        /// Exactly these bytes; no bytes for an ACK.
        case bytes([UInt8])
        /// This many bytes, ending with these, such as a status.
        case length(Int, ending: [UInt8] = [])

        /// Whether the response is as expected.
        public func isMet(by answer: [UInt8]) -> Bool {
            switch self {
            case .bytes(let expected): answer == expected
            case .length(let count, let ending):
                answer.count == count && answer.suffix(ending.count).elementsEqual(ending)
            }
        }

        /// A response that is as expected.
        package var sample: [UInt8] {
            switch self {
            case .bytes(let expected): expected
            case .length(let count, let ending):
                [UInt8](repeating: 0, count: count - ending.count) + ending
            }
        }
    }

    /// What is sent.
    public let message: Message
    /// The required response; nil for the last item, whose response may be anything.
    public let expectation: Expectation?

    /// Creates an item.
    public init(_ message: Message, expecting expectation: Expectation? = nil) {
        (self.message, self.expectation) = (message, expectation)
    }
}

/// The result of a batch.
public struct BatchReport: Hashable, Sendable {
    /// The tag's responses, in order. If there are fewer responses than items but no ``failure``,
    /// the last response was not the required one.
    public var answers: [[UInt8]]
    /// The error that left the next item without a response; nil if every item that was sent has
    /// one. The tag may still have carried out that item, and even later ones.
    public var failure: ReaderError?

    /// Whether a correctly working reader could have sent this report: every response before the
    /// last was as required, and every item that was sent has a response or a failure.
    package func isPlausible(for batch: [BatchItem]) -> Bool {
        guard answers.count <= batch.count else { return false }
        let isMet = zip(batch, answers).map { $0.expectation?.isMet(by: $1) ?? true }
        if failure != nil { return answers.count < batch.count && isMet.allSatisfy(\.self) }
        return isMet.dropLast().allSatisfy(\.self)
            && (answers.count == batch.count || isMet.last == false)
    }

    /// Creates a report.
    public init(answers: [[UInt8]] = [], failure: ReaderError? = nil) {
        (self.answers, self.failure) = (answers, failure)
    }
}

extension ReaderError: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension TagReader {
    /// Sends the items one at a time, and stops at the first failure or unexpected response.
    public func exchange(_ batch: [BatchItem]) async -> BatchReport {
        var report = BatchReport()
        for item in batch {
            do throws(ReaderError) {
                let answer =
                    switch item.message {
                    case .frame(let frame): try await exchange(frame)
                    case .command(let command): try await exchange(command: command)
                    }
                report.answers.append(answer)
                guard item.expectation?.isMet(by: answer) ?? true else { return report }
            } catch {
                report.failure = error
                return report
            }
        }
        return report
    }
}

/// A reader that sends everything in batches, even a single frame or command.
public protocol BatchReader: TagReader {}

extension BatchReader {
    public func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await answer(to: .frame(frame))
    }

    public func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await answer(to: .command(command))
    }

    private func answer(to message: BatchItem.Message) async throws(ReaderError) -> [UInt8] {
        let report = await exchange([BatchItem(message)])
        if let failure = report.failure { throw failure }
        return report.answers.first ?? []
    }
}
