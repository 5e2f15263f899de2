import CardCryptography
import Cards
import Tags
import TapcardDomain

/// Reads what a tag of any kind reports about itself. Writes nothing, and uses no password or key.
struct TagInspection: StationWork {
    let station: Station

    /// Waits for a tag and reads all the information about it.
    func info() async throws(TapcardError) -> TagInfo {
        dependencies.progress(.waitingForCard)
        let identity = try await translating(
            awaiting: await reader.select(within: settings.wait)
        ) { (error: ReaderError) in TapcardError(error).wordedForTag }
        do throws(Interruption) {
            let info = try await info(identity)
            await reader.release()
            return info
        } catch {
            await reader.release()
            throw error.tagError.naming(CardUID(bytes: identity.uid))
        }
    }

    private func info(_ identity: TagIdentity) async throws(Interruption) -> TagInfo {
        if identity.usesBlocks { return try await fileInfo(identity) }
        if identity.isType2 { return try await pageInfo(identity) }
        return TagInfo(
            identity, chip: identity.kind, .unreadable("tapcard cannot read this kind of tag"),
            userByteCount: identity.sectorByteCount ?? 0)
    }

    // MARK: - Chips with pages

    private func pageInfo(_ identity: TagIdentity) async throws(Interruption) -> TagInfo {
        let tag = try await station.scanner.scanTag(of: identity, allowsHidden: true) {
            $0.userPages
        }
        let layout = tag.layout
        let content =
            tag.hidesPages
            ? .unreadable("reading needs a password")
            : TagContent(decoding: tag.memory, currency: currency)
        var info = TagInfo(
            identity, chip: tag.kind == Type2Chip.otherName ? "unknown Type 2 tag" : tag.kind,
            // A page is four bytes.
            content, userByteCount: layout.userPages.count * 4)
        (info.pages, info.version, info.isHidden) = (layout, tag.version, tag.hidesPages)
        if !tag.hidesPages { info.freeBytes = freeBytes(tag, content) }
        if tag.hasTripleDES {
            try await addUltralightC(to: &info, tag, identity)
        } else if let access = try await access(of: tag, layout, identity) {
            (info.lockBytes, info.isLocked) = (access.lockBytes, access.isLocked)
            (info.configuration, info.isProtected) = (access.configuration, access.isProtected)
        } else {
            (info.lockBytes, info.isLocked) = (tag.locks, tag.locks.contains { $0 != 0 })
            info.isHidden = true
        }
        // The low nibble of the byte is the write access condition; 0 means unrestricted.
        let isReadOnly = tag.capability[3] & 0x0F != 0
        if isReadOnly, tag.hasNDEF || tag.chip.model != nil { info.isLocked = true }
        if info.isHidden { info.isProtected = true }
        info.mayHavePassword =
            info.configuration == nil && !["MIFARE Ultralight", "NTAG203"].contains(tag.kind)
        try await addCounters(to: &info, layout, identity)
        if tag.chip.hasFastRead {
            info.originality = TagInfo.Originality(tag.signature, of: identity.uid, by: [.ntag21x])
        } else if layout.hasFastRead {
            let signature = try await ask(.readSignature, identity)
            // Not all chips of this kind are signed with the same key.
            info.originality = TagInfo.Originality(
                signature, of: identity.uid, by: [.ntag21x, .ultralightEV1])
        }
        return info
    }

    /// The chip's lock bits and settings; nil if the tag refuses to return them.
    private func access(
        of tag: ScannedTag, _ layout: Type2Chip, _ identity: TagIdentity
    ) async throws(Interruption) -> TagAccess? {
        do throws(Interruption) {
            return try await station.fitness.access(of: tag, layout)
        } catch .card(let error) {
            guard case .reader(.refused) = error.kind else { throw .card(error) }
            try await station.scanner.selectAgain(identity)
            return nil
        }
    }

    /// Adds what pages 28h to 2Bh contain: lock bytes, the counter, and AUTH0, the first page that
    /// needs the key.
    private func addUltralightC(
        to info: inout TagInfo, _ tag: ScannedTag, _ identity: TagIdentity
    ) async throws(Interruption) {
        info.lockBytes = tag.locks
        if let bytes = try await ask(.read(0x28), identity) {
            info.lockBytes += bytes[0..<2]
            info.counters = [UInt32(bytes[4]) | UInt32(bytes[5]) << 8]
            info.isProtected = Int(bytes[8]) < Type2Chip.ultralightC.pageCount
        } else {
            info.isHidden = true
        }
        info.isLocked = info.lockBytes.contains { $0 != 0 }
    }

    private func addCounters(
        to info: inout TagInfo, _ layout: Type2Chip, _ identity: TagIdentity
    ) async throws(Interruption) {
        let isNTAG = layout.model != nil
        guard let numbers = layout.counters, !isNTAG || info.configuration?.counts == true else {
            return
        }
        for number in numbers {
            guard let bytes = try await ask(.readCounter(number), identity) else { return }
            // The chip sends its three bytes in little-endian order.
            info.counters.append(bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        if isNTAG { info.counter = info.counters.first }
    }

    /// Sends a command that the tag may refuse. Returns nil if there is no valid response; the tag
    /// is then selected again.
    private func ask(
        _ command: Type2Command, _ identity: TagIdentity
    ) async throws(Interruption) -> [UInt8]? {
        if let answer = try? await reader.exchange(command.frame),
            let bytes = try? command.checked(answer)
        {
            return bytes
        }
        try await station.scanner.selectAgain(identity)
        return nil
    }

    /// How many bytes longer the message could be. On a card, the space for it ends where the
    /// records begin; on any other tag, the space ends with the user pages.
    private func freeBytes(_ tag: ScannedTag, _ content: TagContent) -> Int {
        let memory = tag.chip.model == nil ? tag.dataArea : tag.memory
        var room = memory.count
        if case .tapcard = content, let layout = tag.chip.model.flatMap(CardLayout.init) {
            room = layout.ndefByteCount
        }
        // If the message cannot be parsed, it is not known which bytes are free.
        guard let area = try? TLVArea(decoding: memory) else { return 0 }
        let terminatorBytes = 1
        let shortHeaderBytes = 2
        // A new message overwrites the padding before the old one, so padding counts as free.
        let used =
            area.message.map {
                $0.valueOffset + $0.value.count - $0.offset + MessagePlan.offset(on: memory)
            } ?? shortHeaderBytes
        return max(0, room - used - terminatorBytes)
    }

    // MARK: - Chips with files

    /// If a response casts doubt on the chip, the chip is read again in another session, because a
    /// single damaged response can make an NTAG 424 look like another chip.
    private func fileInfo(_ identity: TagIdentity) async throws(Interruption) -> TagInfo {
        guard let uid = CardUID(bytes: identity.uid) else { return try await otherInfo(identity) }
        var doubtful: TagInfo?
        for _ in 0..<2 {
            do throws(Interruption) {
                let info = try await ntag424Info(identity, uid)
                guard info.originality == .invalid else { return info }
                doubtful = info
            } catch .ntag424(let error)
                where error.isFromAnotherChip || error.kind == .chip(.malformed)
            {
                doubtful = nil
            }
            try await station.scanner.selectAgain(identity)
        }
        if let doubtful { return doubtful }
        return try await otherInfo(identity)
    }

    /// Describes a Type 4 tag that is not an NTAG 424, or a card without a message.
    private func otherInfo(_ identity: TagIdentity) async throws(Interruption) -> TagInfo {
        let version = await station.ntag424Scanner.versionOfOther(identity)
        try await station.scanner.selectAgain(identity)
        let files = Type4Files(station: station)
        var (capability, message): (Type4Capability?, [UInt8]?)
        do throws(Interruption) {
            capability = try await files.capability()
            if let capability { message = try await files.message(capability) }
        } catch .refused {
            // The tag has no message, or reading it needs a key.
        } catch .card(let error) where error.kind == .garbled {
            // The tag has a message file that is not valid, or refuses the command.
        }
        let name = version.flatMap(InspectNTAG424.otherName)
        var info = TagInfo(
            identity,
            chip: name ?? (capability == nil ? identity.kind : "unknown Type 4 tag"),
            message.map {
                $0.isEmpty ? .empty : TagContent(message: $0, currency: currency)
            } ?? .unreadable("the tag has no message that anyone can read"),
            userByteCount: capability?.maximumByteCount
                ?? version.flatMap(InspectNTAG424.byteCount) ?? 0)
        info.version = version
        if let capability {
            info.isLocked = capability.isReadOnly
            info.isProtected = !capability.isWritable && !capability.isReadOnly
            info.isHidden = message == nil
            info.freeBytes = message.map { capability.maximumByteCount - $0.count } ?? 0
        }
        return info
    }

    private func ntag424Info(
        _ identity: TagIdentity, _ uid: CardUID
    ) async throws(Interruption) -> TagInfo {
        var history = TapHistory()
        let answers = try await reader.performInTap(InspectNTAG424(.all), &history)
        let message = answers.message
        // The file begins with the length of its message.
        let size = FileNumber.ndef.size - AddressFile.lengthByteCount
        var info = TagInfo(
            identity, chip: Chip.ntag424.name,
            message.isEmpty ? .empty : TagContent(message: message, currency: currency),
            userByteCount: size)
        info.keyVersions = KeyNumber.allCases.compactMap { answers.keyVersions[$0] }
        info.version = answers.version
        info.originality = TagInfo.Originality(answers.signature, of: uid, on: .ntag424)
        info.freeBytes = max(0, size - message.count)
        // The factory keys are public, so they protect nothing.
        info.isProtected = info.keyVersions.contains { $0 != NTAG424CardKeys.factory.version }
        info.ntag424Card = card(answers)
        return info
    }

    /// What the chip reports about itself as a card. When a card is made, key 3 is changed early
    /// and key 0 last, so the version of key 3 shows which issuer a partly made card belongs to.
    private func card(_ answers: NTAG424Answers) -> NTAG424CardInfo {
        let selling = answers.sellingVersion
        let named =
            selling == NTAG424CardKeys.factory.version
            ? answers.keyVersions.values.max() ?? selling : selling
        let entry =
            named == NTAG424CardKeys.factory.version
            ? nil : keys.entries.first { NTAG424CardKeys.version(of: $0.id) == named }
        var host: String?
        if case .uri(let address) = TagContent(message: answers.message, currency: currency),
            let start = address.firstRange(of: "://")
        {
            let name = address[start.upperBound...].prefix { !"/?#".contains($0) }
            host = name == AddressFile.placeholderHost ? nil : String(name)
        }
        return NTAG424CardInfo(
            issuerKey: entry?.id, isRetired: entry?.status == .retired,
            isPartlyMade: Set(answers.keyVersions.values).count > 1, host: host,
            usesLRP: answers.showsLRP)
    }
}
