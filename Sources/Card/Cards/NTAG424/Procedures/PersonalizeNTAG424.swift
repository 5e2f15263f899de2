import CardCryptography
import Tags
package import TapcardDomain

/// Turns a chip into one of the issuer's cards, or uses the same steps to give an existing card new
/// keys. It skips the steps that the chip reports as already done, so the next tap continues an
/// interrupted run.
///
/// Key 0 is changed last, because an interrupted run can be continued only with key 0. At the end,
/// the chip confirms with a MAC that no factory key is left. The key versions that the chip reports
/// determine which keys to authenticate with, so no key is ever guessed. A version by itself proves
/// nothing.
package struct PersonalizeNTAG424: NTAG424Procedure {
    /// The card to make.
    package struct Plan: Sendable {
        package let uid: CardUID
        package let currency: Currency
        package let address: AddressFile
        /// The keys that the chip may have now; for a new chip, the factory keys.
        package let before: [NTAG424CardKeys]
        package let keys: NTAG424CardKeys
        package let grant: Grant

        package init(
            uid: CardUID, currency: Currency, address: AddressFile, from before: [NTAG424CardKeys],
            to keys: NTAG424CardKeys, grant: Grant
        ) {
            (self.uid, self.currency, self.address) = (uid, currency, address)
            (self.before, self.keys, self.grant) = (before, keys, grant)
        }

        /// The keys with this version; `nil` if the caller did not supply them.
        func keys(_ version: UInt8) -> NTAG424CardKeys? {
            ([keys] + before).first { $0.version == version }
        }
    }

    private enum Step {
        case select
        case version(KeyNumber)
        case authenticate(KeyNumber, AESKey)
        case readUID
        case settings(FileNumber)
        case changeKey(KeyNumber, from: AESKey)
        case changeSettings(FileNumber)
        case forbidChaining
        case readAddress
        case writeAddress(Range<Int>)
        case check(KeyNumber)
        case checkSettings(FileNumber)
    }

    /// The maximum number of authentications in a run; each takes 16 random bytes.
    private static let maximumAuthentications = 7
    /// The number of random bytes for a run.
    package static let randomByteCount = maximumAuthentications * SecureSession.randomSize
    private static let files: [FileNumber] = [.ndef, .data]

    package var talk = NTAG424Talk()
    private let plan: Plan
    private let isTrial: Bool
    private var random: ArraySlice<UInt8>
    private var versions: [KeyNumber: UInt8] = [:]
    private var settings: [FileNumber: FileSettings] = [:]
    /// The step whose response is pending, and the steps after it.
    private var steps: ArraySlice<Step> = [.select, .version(.application)]

    /// `random` is `randomByteCount` unpredictable bytes. A trial writes nothing: it verifies that
    /// the chip has the keys whose versions it reports, and that it can become the planned card.
    package init(_ plan: Plan, isTrial: Bool = false, random: [UInt8]) {
        precondition(
            random.count == PersonalizeNTAG424.randomByteCount,
            "16 random bytes for each authentication")
        (self.plan, self.isTrial, self.random) = (plan, isTrial, random[...])
    }

    package mutating func begin() throws(NTAG424CardError) -> NTAG424Move<Void> { try nextMove() }

    package mutating func proceed(_ data: [UInt8]) throws(NTAG424CardError) -> NTAG424Move<Void> {
        guard let done = steps.popFirst() else { throw .chip(NTAG424Error(.malformed)) }
        try finish(done, data)
        return try nextMove()
    }

    /// A new key 0 is verified by the authentication that follows. There is no way to verify that
    /// chained writing is forbidden, but none of our writes depends on it.
    package mutating func proceedWithoutMAC() throws(NTAG424CardError) -> NTAG424Move<Void> {
        switch steps.first {
        case .changeKey(.application, _), .forbidChaining: try proceed([])
        default: throw .unfinished
        }
    }

    private mutating func finish(_ step: Step, _ data: [UInt8]) throws(NTAG424CardError) {
        switch step {
        case .version(let number):
            guard data.count == 1 else { throw .chip(NTAG424Error(.malformed)) }
            versions[number] = data[0]
            if number == .application { try inspect() }
        case .readUID:
            // This UID was read inside the session, so it is authenticated. During selection,
            // anyone can claim any UID.
            guard data == plan.uid.bytes else { throw .otherCard }
        case .settings(let file):
            settings[file] = try PersonalizeNTAG424.settings(data, file)
            if file == .data { try planRemainingSteps() }
        case .readAddress: compareAddress(data)
        case .check:
            guard data == [plan.keys.version] else { throw .unfinished }
        case .checkSettings(let file):
            guard try PersonalizeNTAG424.settings(data, file) == plannedSettings(file) else {
                throw .unfinished
            }
        default: break
        }
    }

    /// Authenticates with key 0 in the version that the chip reported, and requests everything else
    /// in that session, in which every response carries the chip's MAC.
    private mutating func inspect() throws(NTAG424CardError) {
        let rest = KeyNumber.allCases.dropFirst()
        steps = [.authenticate(.application, try key(.application)), .readUID]
        steps += rest.map { .version($0) } + PersonalizeNTAG424.files.map { .settings($0) }
    }

    /// Plans the steps that remain.
    private mutating func planRemainingSteps() throws(NTAG424CardError) {
        let others = KeyNumber.allCases.dropFirst()
        for file in PersonalizeNTAG424.files where settings[file] != plannedSettings(file) {
            // Checked before the first write, because a later refusal would leave the chip
            // half-changed.
            guard settings[file]?.rights.change == .key(.application) else {
                throw .fixedSettings
            }
        }
        guard !isTrial else {
            var authentications: [Step] = []
            for number in others { authentications.append(.authenticate(number, try key(number))) }
            steps = authentications[...]
            return
        }
        var work: [Step] = []
        // These changes are made in key 0's session, in which the other keys can be changed without
        // authenticating with each of them first.
        for number in others where versions[number] != plan.keys.version {
            work.append(.changeKey(number, from: try key(number)))
        }
        for file in PersonalizeNTAG424.files where settings[file] != plannedSettings(file) {
            work.append(.changeSettings(file))
        }
        // The chip does not report this setting; setting it again has no effect.
        work.append(.forbidChaining)
        // A matching version is not enough: another issuer, or anyone else, could have given a key
        // the same version.
        for number in others where number != .four && versions[number] == plan.keys.version {
            work.append(.authenticate(number, plan.keys[number]))
        }
        // Under the new settings, only key 4 can write the file for phones. The current content of
        // the file determines which pieces are written.
        work += [.authenticate(.four, plan.keys[.four]), .readAddress]
        if versions[.application] != plan.keys.version {
            let old = try key(.application)
            work += [
                .authenticate(.application, old), .changeKey(.application, from: old),
                // The change of key 0 ends the session, and the response is not authenticated. The
                // version is checked before the new key is tried, because we must not try a key
                // that the chip does not have.
                .check(.application), .authenticate(.application, plan.keys[.application]),
            ]
        }
        // Only for testing rule 52: if key 0 is changed first, an interrupted run cannot be
        // continued.
        if SafetyRule.applicationKeyLast.isDisabled { work = applicationKeyFirst(work) }
        // The checks run in a session with the new keys, so the MACs on the responses prove that no
        // factory key is left.
        work += KeyNumber.allCases.map { .check($0) }
        work += PersonalizeNTAG424.files.map { .checkSettings($0) }
        steps = work[...]
    }

    private func applicationKeyFirst(_ work: [Step]) -> [Step] {
        func concernsApplicationKey(_ step: Step) -> Bool {
            switch step {
            case .changeKey(.application, _), .check(.application), .authenticate(.application, _):
                true
            default: false
            }
        }
        // Drops the authentication with the old key 0, because its session is already open.
        return work.filter(concernsApplicationKey).dropFirst()
            + work.filter { !concernsApplicationKey($0) }
    }

    private mutating func compareAddress(_ found: [UInt8]) {
        let planned = addressBytes
        let hasFullLength = found.count == planned.count
        steps.insert(
            // After an interruption, most pieces are already correct, and each one that is skipped
            // saves a command.
            contentsOf: plan.address.pieces
                .filter { !hasFullLength || found[$0] != planned[$0] }.map { .writeAddress($0) },
            at: steps.startIndex)
    }

    /// The move for the current step.
    private mutating func nextMove() throws(NTAG424CardError) -> NTAG424Move<Void> {
        guard let step = steps.first else { return .finish(()) }
        switch step {
        case .select: return .run(.selectApplication)
        case .version(let number), .check(let number): return .run(.getKeyVersion(number))
        case .authenticate(let number, let key):
            // If a random number were used twice, a recorded session could be replayed.
            defer { random = random.dropFirst(SecureSession.randomSize) }
            return .authenticate(
                number, key, random: Array(random.prefix(SecureSession.randomSize)))
        case .readUID: return .run(.getCardUID)
        case .settings(let file), .checkSettings(let file): return .run(.getFileSettings(file))
        case .changeKey(let number, let old):
            return .run(
                .changeKey(
                    KeyChange(
                        number, to: plan.keys[number], version: plan.keys.version, from: old)))
        case .changeSettings(let file):
            return .run(.changeFileSettings(file, plannedSettings(file)))
        case .forbidChaining: return .run(.setConfiguration(.noChainedWriting))
        case .readAddress:
            return .run(
                .readData(.ndef, offset: 0, length: plan.address.byteCount), .authenticated)
        case .writeAddress(let piece):
            return .run(
                .writeData(.ndef, offset: piece.lowerBound, data: Array(addressBytes[piece])),
                .authenticated)
        }
    }

    /// The chip's current key, according to the version that it reported.
    private func key(_ number: KeyNumber) throws(NTAG424CardError) -> AESKey {
        let version = versions[number] ?? 0
        guard let keys = plan.keys(version) else {
            throw .unknownKeys(number, version: version)
        }
        return keys[number]
    }

    private var addressBytes: [UInt8] {
        plan.address.bytes(
            grant: plan.grant.sealed(
                for: SellingKey(
                    uid: plan.uid, version: plan.keys.version, key: plan.keys[.three],
                    currency: plan.currency)))
    }

    private func plannedSettings(_ file: FileNumber) -> FileSettings {
        file == .ndef ? plan.address.settings : AddressFile.slotSettings
    }

    private static func settings(
        _ data: [UInt8], _ file: FileNumber
    ) throws(NTAG424CardError) -> FileSettings {
        guard let report = FileSettings.reported(data), report.size == file.size else {
            throw .chip(NTAG424Error(.malformed))
        }
        return report.settings
    }
}
