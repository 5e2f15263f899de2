/// SHA-256 (FIPS 180-4). It is implemented here because the ledger's rules depend only on the
/// domain module and hash only a few bytes.
enum Digest {
    /// The 32-byte SHA-256 digest of these bytes.
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        // The initial hash value of FIPS 180-4, 5.3.3.
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c,
            0x1f83_d9ab, 0x5be0_cd19,
        ]
        // FIPS 180-4, 5.1.1: a one bit, zeros, and the length in bits in the last eight bytes.
        var padded = bytes + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += bigEndian(UInt64(bytes.count) * 8)
        for start in stride(from: 0, to: padded.count, by: 64) {
            compress(padded[start..<start + 64], into: &state)
        }
        return state.flatMap(bigEndian)
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = (0..<16).map { index in
            block.dropFirst(4 * index).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        // The message schedule of FIPS 180-4, 6.2.2, step 1.
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = rotateRight(early, 7) ^ rotateRight(early, 18) ^ early >> 3
            let second = rotateRight(late, 17) ^ rotateRight(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var now = state
        // Step 3, with the eight working variables a to h in `now`.
        for index in 0..<64 {
            let (a, e) = (now[0], now[4])
            let choice = (e & now[5]) ^ (~e & now[6])
            let majority = (a & now[1]) ^ (a & now[2]) ^ (now[1] & now[2])
            let high = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)
            let low = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)
            let sum = now[7] &+ high &+ choice &+ constants[index] &+ words[index]
            now = [sum &+ low &+ majority] + now[0..<3] + [now[3] &+ sum] + now[4..<7]
        }
        for index in state.indices { state[index] &+= now[index] }
    }

    private static func rotateRight(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }

    // FIPS 180-4, 4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}
