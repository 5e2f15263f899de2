package import Tags

/// The data read from a tag that this station has never seen before.
package struct ScannedTag: Hashable, Sendable {
    package let chip: Type2Chip
    package let version: [UInt8]?
    /// Pages 0 to 3: serial number, lock bytes, capability container.
    package let header: [UInt8]
    /// The memory starting at page 4: a whole card if the chip can hold one, otherwise all user
    /// memory.
    package let memory: [UInt8]
    /// The maker's signature, if the chip has one.
    package let signature: [UInt8]?
    /// Whether the tag responded in a way that only an Ultralight C does.
    package let hasTripleDES: Bool
    /// Whether the tag refused to return some pages, so that `memory` is incomplete.
    package let hidesPages: Bool

    /// The chip's name as shown to users, even for a chip that can only be read.
    package var kind: String {
        if chip.model != nil { return chip.name }
        if let version { return Type2Chip.otherName(version: version) }
        // Other manufacturers also make chips without a version.
        guard header.first == ScannedTag.nxp else { return Type2Chip.otherName }
        if hasTripleDES { return "MIFARE Ultralight C" }
        return switch chip.pageCount {
        // Neither chip supports GET_VERSION. They can be told apart only by the memory size in the
        // capability container.
        case 40: "NTAG203"
        case 16: "MIFARE Ultralight"
        default: Type2Chip.otherName
        }
    }

    private static let nxp: UInt8 = 0x04

    /// The memory layout. Also set for chips that tapcard can only read.
    package var layout: Type2Chip {
        if hasTripleDES { return .ultralightC }
        return chip.model == nil ? version.flatMap(Type2Chip.init(otherVersion:)) ?? chip : chip
    }

    /// The bytes of the capability container.
    package var capability: [UInt8] { Array(header[12..<16]) }
    /// The static lock bytes.
    package var locks: [UInt8] { Array(header[10..<12]) }
}

/// Identifies a tag and reads it. This takes four commands on an NTAG21x.
package struct ScanTag: TagProcedure {
    private enum State {
        case version, retrying, reselecting, header, span, blocks, hidden, tripleDES, signature
        case finished
    }

    private let identity: TagIdentity
    private let maximumAnswerLength: Int
    private let allowsHidden: Bool
    private let cardPages: @Sendable (Type2Chip) -> ClosedRange<UInt8>
    /// AUTHENTICATE, to which an Ultralight C responds with a challenge.
    private static let authenticate: [UInt8] = [0x1A, 0x00]
    private static let challengeSize = 9

    private var state = State.version
    /// Whether the tag has already failed to respond to GET_VERSION. The command is tried once
    /// more, because a response can get lost.
    private var hasTimedOut = false
    private var version: [UInt8]?
    private var chip: Type2Chip?
    private var header: [UInt8] = []
    private var memory: [UInt8] = []
    private var span: PageSpan?
    private var nextBlock: UInt8 = 4
    private var hidesPages = false

    /// `cardPages` returns the pages of a chip to read. If `allowsHidden` is true, also identifies
    /// a tag that refuses to return some pages; otherwise, the refusal is an error.
    package init(
        _ identity: TagIdentity, maximumAnswerLength: Int, allowsHidden: Bool = false,
        cardPages: @escaping @Sendable (Type2Chip) -> ClosedRange<UInt8>
    ) {
        self.identity = identity
        self.maximumAnswerLength = maximumAnswerLength
        self.allowsHidden = allowsHidden
        self.cardPages = cardPages
    }

    package mutating func next(after event: TagEvent) -> TagStep<ScannedTag> {
        switch (state, event) {
        case (_, .begin):
            return .exchange(Type2Command.getVersion.frame)
        case (.version, .answer(let answer)):
            guard (try? Type2Command.getVersion.checked(answer)) != nil else {
                return .fail(
                    CardStoreError(.garbled, "the tag's response has the wrong length"))
            }
            version = answer
            chip = Type2Chip(version: answer)
            return readHeader()
        case (.version, .failure(.refused)):
            // Older chips do not support the command, and stop responding after it.
            state = .reselecting
            return .select
        case (.version, .failure(.timedOut)), (.version, .failure(.garbled)),
            (.version, .failure(.tagLost)):
            // A lost response looks the same as a chip that does not support the command, so the
            // command is sent twice.
            state = hasTimedOut ? .reselecting : .retrying
            hasTimedOut = true
            return .select
        case (.retrying, .selected(let reselected)), (.reselecting, .selected(let reselected)),
            (.hidden, .selected(let reselected)):
            return resume(reselected)
        case (.header, .answer(let answer)):
            return takeHeader(answer)
        case (.span, .answer(let answer)):
            return takeSpan(answer)
        case (.blocks, .answer(let answer)):
            return takeBlock(answer)
        case (.header, .failure(.refused)) where allowsHidden,
            (.span, .failure(.refused)) where allowsHidden,
            (.blocks, .failure(.refused)) where allowsHidden:
            hidesPages = true
            state = .hidden
            return .select
        case (.tripleDES, .answer(let answer)):
            return finish(signature: nil, hasTripleDES: answer.count == ScanTag.challengeSize)
        // A failure here means only that the chip is not an Ultralight C; the memory has already
        // been read.
        case (.tripleDES, .failure(.refused)), (.tripleDES, .failure(.timedOut)),
            (.tripleDES, .failure(.garbled)), (.tripleDES, .failure(.tagLost)):
            return finish(signature: nil)
        case (.signature, .answer(let answer)):
            return finish(signature: try? Type2Command.readSignature.checked(answer))
        // A copy might not support READ_SIG. It is then treated as a tag without a signature.
        case (.signature, .failure(.refused)), (.signature, .failure(.timedOut)),
            (.signature, .failure(.garbled)):
            return finish(signature: nil)
        case (_, .failure(let kind)):
            return .fail(CardStoreError(.reader(kind), "the tag was not read completely"))
        default:
            return .fail(CardStoreError(.garbled, "the tag sent an unexpected response"))
        }
    }

    private mutating func resume(_ reselected: TagIdentity) -> TagStep<ScannedTag> {
        // Responses from two tags must not be mixed.
        guard reselected.uid == identity.uid else {
            return .fail(CardStoreError(.otherTag, "a different tag is on the reader now"))
        }
        switch state {
        case .retrying:
            state = .version
            return .exchange(Type2Command.getVersion.frame)
        case .hidden: return finishHidden()
        default: return readHeader()
        }
    }

    private mutating func readHeader() -> TagStep<ScannedTag> {
        state = .header
        return .exchange(Type2Command.read(0).frame)
    }

    private mutating func takeHeader(_ answer: [UInt8]) -> TagStep<ScannedTag> {
        guard let header = try? Type2Command.read(0).checked(answer),
            let capability = Page(header[12..<16])
        else {
            return .fail(CardStoreError(.garbled, "the tag's response has the wrong length"))
        }
        self.header = header
        if let chip {
            span = PageSpan(cardPages(chip), maximumAnswerLength: maximumAnswerLength)
            state = .span
            return readSpan()
        }
        // Transit tickets use these one-time programmable bytes for something other than the size.
        chip = Type2Chip.other(capability: capability) ?? .unformatted
        state = .blocks
        return .exchange(Type2Command.read(nextBlock).frame)
    }

    private mutating func takeSpan(_ answer: [UInt8]) -> TagStep<ScannedTag> {
        guard span?.take(answer) == true else {
            return .fail(CardStoreError(.garbled, "the tag's response has the wrong length"))
        }
        return readSpan()
    }

    private mutating func readSpan() -> TagStep<ScannedTag> {
        if let frame = span?.nextFrame() { return .exchange(frame) }
        memory = span?.bytes ?? []
        state = .signature
        return .exchange(Type2Command.readSignature.frame)
    }

    /// Adds one block. READ returns four pages; the last block may extend past the end of the
    /// memory and wrap around.
    private mutating func takeBlock(_ answer: [UInt8]) -> TagStep<ScannedTag> {
        guard let data = try? Type2Command.read(nextBlock).checked(answer), let chip else {
            return .fail(CardStoreError(.garbled, "the tag's response has the wrong length"))
        }
        memory += data
        let (following, overflow) = nextBlock.addingReportingOverflow(4)
        guard !overflow, following <= chip.userPages.upperBound else {
            memory = Array(memory.prefix(chip.userPages.count * 4))
            // A chip that supports GET_VERSION is not an Ultralight C, so there is no need to
            // check.
            guard version == nil else { return finish(signature: nil) }
            state = .tripleDES
            return .exchange(ScanTag.authenticate)
        }
        nextBlock = following
        return .exchange(Type2Command.read(following).frame)
    }

    /// Identifies a tag that does not return all of its pages.
    private mutating func finishHidden() -> TagStep<ScannedTag> {
        memory = span?.bytes ?? memory
        if header.isEmpty { header = [UInt8](repeating: 0, count: 4 * Page.size) }
        if chip?.hasFastRead == true {
            state = .signature
            return .exchange(Type2Command.readSignature.frame)
        }
        chip = chip ?? .unformatted
        guard version == nil else { return finish(signature: nil) }
        state = .tripleDES
        return .exchange(ScanTag.authenticate)
    }

    private mutating func finish(
        signature: [UInt8]?, hasTripleDES: Bool = false
    ) -> TagStep<ScannedTag> {
        state = .finished
        guard let chip else {
            return .fail(CardStoreError(.garbled, "the tag did not report its chip"))
        }
        return .finish(
            ScannedTag(
                chip: chip, version: version, header: header, memory: memory,
                signature: signature, hasTripleDES: hasTripleDES, hidesPages: hidesPages))
    }
}
