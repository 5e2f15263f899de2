package import CardCryptography
import Tags
import TapcardDomain

/// Writes one state with a single command. The MAC on the response proves that the state is on the
/// card, so nothing is read back. If the state requires a larger grant, the grant is written first,
/// which takes the load key and five more commands. This order is safe, because a grant without a
/// state is worth nothing.
package struct UpdateNTAG424: NTAG424Procedure {
    /// The new state of a card.
    package struct Change: Hashable, Sendable {
        /// The index of the slot to write, from 0 to 3.
        package let slotIndex: Int
        package let slot: NTAG424Slot
        /// The grant that the state needs; `nil` if the card already has it.
        package let grant: Grant?

        /// `balance` is the balance in `record`, in minor units. `spent` is the total spent
        /// according to the last state that the ledger confirmed; the new total is never lower.
        ///
        /// `nil` if the chip cannot hold the resulting totals.
        package init?(
            _ record: [UInt8], balance: Int64, to slotIndex: Int, granted: Grant?, spent: Int64
        ) {
            let needed = balance + spent
            let granted = granted?.granted
            let canDecrease = SafetyRule.grantNeverFalls.isDisabled
            // The grant never decreases (rule 56): a payment increases the total spent instead.
            let sum = canDecrease ? needed : max(granted ?? needed, needed)
            guard let slot = NTAG424Slot(record: record, spent: sum - balance),
                let grant = Grant(sum)
            else { return nil }
            (self.slotIndex, self.slot) = (slotIndex, slot)
            // An unchanged grant is not written, which saves five commands.
            self.grant = sum == granted ? nil : grant
        }
    }

    private enum Step {
        case load(AESKey, random: [UInt8])
        case grant(Grant)
        case sell(random: [UInt8])
        case slot
    }

    package var talk: NTAG424Talk
    private let current: NTAG424State
    private let change: Change
    private var steps: ArraySlice<Step>

    /// Continues in the session of the current state. The new state must already be recorded in the
    /// ledger or a journal. `random` is 32 unpredictable bytes. `nil` if a new grant is needed but
    /// there is no load key to write it with.
    package init?(_ change: Change, in current: NTAG424State, loadKey: AESKey?, random: [UInt8]) {
        (self.change, self.current, talk) = (change, current, current.talk)
        guard let grant = change.grant else {
            steps = [.slot]
            return
        }
        guard let loadKey else { return nil }
        // Two authentications are needed, because writing the grant requires key 4, and writing the
        // slot requires key 3. Each uses half of the random bytes.
        let half = random.count / 2
        steps = [
            .load(loadKey, random: Array(random.prefix(half))), .grant(grant),
            .sell(random: Array(random.suffix(half))), .slot,
        ]
        // Only for testing rule 51: the state is written before its grant.
        if SafetyRule.grantFirst.isDisabled {
            steps = [.slot, .load(loadKey, random: Array(random.prefix(half))), .grant(grant)]
        }
    }

    package mutating func begin() throws(NTAG424CardError) -> NTAG424Move<Void> {
        // Without this session, a card has been selected again, and it may be a different card.
        guard talk.key == .three else { throw .chip(NTAG424Error(.sessionEnded)) }
        return nextMove()
    }

    package mutating func proceed(_ data: [UInt8]) -> NTAG424Move<Void> {
        steps.removeFirst()
        return nextMove()
    }

    private func nextMove() -> NTAG424Move<Void> {
        switch steps.first {
        case .load(let key, let random): .authenticate(.four, key, random: random)
        case .grant(let grant):
            .run(
                .writeData(.ndef, offset: current.grantAt, data: grant.sealed(for: current.card)),
                .authenticated)
        case .sell(let random): .authenticate(.three, current.card.key, random: random)
        case .slot:
            .run(
                .writeData(
                    .data, offset: change.slotIndex * NTAG424Slots.pitch, data: change.slot.bytes),
                .full)
        case nil: .finish(())
        }
    }
}
