import CardCryptography
import TapcardDomain
import TextCodecs

extension MirrorSettings {
    /// Whether every mirrored value is inside the file and no two of them overlap.
    func fits(_ size: Int) -> Bool {
        var ranges: [Range<Int>] = []
        switch identity {
        case .hidden: break
        case .plain(let uid, let reads):
            if let uid { ranges.append(uid..<(uid + 2 * CardUID.size)) }
            if let reads { ranges.append(reads..<(reads + 2 * TapIdentity.counterSize)) }
        case .encrypted(_, let at):
            ranges.append(at..<(at + 2 * TapIdentity.encryptedSize))
        }
        if let proof {
            ranges.append(proof.at..<(proof.at + 2 * TapKeys.codeSize))
            guard proof.from <= proof.at else { return false }
            if let data = proof.data {
                // The data must be whole blocks, written as digits, and the MAC must cover it. Its
                // key depends on the UID and the count, so the identity cannot be hidden.
                guard !data.isEmpty, data.count.isMultiple(of: 2 * AESKey.blockSize),
                    data.lowerBound >= proof.from, data.upperBound <= proof.at,
                    identity != .hidden
                else { return false }
                ranges.append(data)
            }
        }
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return sorted.allSatisfy { $0.upperBound <= size }
            && zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }
}

extension NTAG424Memory {
    /// The NDEF file as an unauthenticated reader sees it.
    func mirrored(_ mirror: MirrorSettings, filling: [UInt8]) -> [UInt8] {
        var content = self[.ndef].bytes
        guard let identity = TapIdentity(uid: uid, reads: reads) else { return content }
        func put(_ bytes: [UInt8], at offset: Int) {
            // The chip writes upper-case digits, as `Hexadecimal` does.
            let digits = Array(Hexadecimal.encode(bytes).utf8)
            content.replaceSubrange(offset..<(offset + digits.count), with: digits)
        }
        switch mirror.identity {
        case .hidden: break
        case .plain(let uid, let reads):
            if let uid { put(identity.uid.bytes, at: uid) }
            // In clear text, the count is written most significant byte first.
            if let reads { put(identity.counterBytes.reversed(), at: reads) }
        case .encrypted(let key, let at):
            put(identity.encrypted(key: self[key].key, filling: filling), at: at)
        }
        guard let proof = mirror.proof else { return content }
        let keys = TapKeys(fileKey: self[proof.key].key, identity: identity)
        if let data = proof.data {
            // The plain data is read from the stored bytes, where it takes up half of the space for
            // the digits.
            let plain = Array(self[.ndef].bytes[data].prefix(data.count / 2))
            put(keys.encrypt(plain), at: data.lowerBound)
        }
        put(keys.code(over: Array(content[proof.from..<proof.at])), at: proof.at)
        return content
    }
}
