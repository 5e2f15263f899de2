import TapcardDomain

/// Shifts, with the constraints that a database would enforce.
extension MemoryRows {
    func openShift() -> Shift? { tables.shifts.last { $0.closing == nil } }
    func shift(_ id: ShiftID) -> Shift? { tables.shifts.first { $0.id == id } }
    func shifts() -> [Shift] { tables.shifts }

    func insert(_ shift: Shift) throws(LedgerError) {
        guard openShift() == nil || SafetyRule.oneOpenShift.isDisabled else {
            throw LedgerError(.corrupt, "shift \(shift.id) breaks a constraint")
        }
        tables.shifts.append(shift)
    }

    func close(_ shift: Shift) throws(LedgerError) {
        guard let place = tables.shifts.firstIndex(where: { $0.id == shift.id }),
            tables.shifts[place].closing == nil
        else { throw LedgerError(.corrupt, "shift \(shift.id) is not open") }
        tables.shifts[place].closing = shift.closing
    }

    func insert(_ count: Shift.Count, of shift: Shift) {
        guard let place = tables.shifts.firstIndex(where: { $0.id == shift.id }) else { return }
        tables.shifts[place].counts.append(count)
    }

    func entries(inShift id: ShiftID) -> [Entry] { tables.entries.filter { $0.shift == id } }

    func cardless(inShift id: ShiftID) -> [CardlessOperation] {
        tables.cardless.values.filter { $0.shift == id }.sorted { $0.precedes($1) }
    }

    func lateOperations(of shift: Shift) -> [Operation] {
        guard let end = shift.closing?.at else { return [] }
        let late = tables.entries.filter { $0.shift != shift.id && $0.postedAt >= end }
        let ids = Set(late.map(\.operation))
        return operations(begunSince: shift.openedAt, until: end, after: nil, atMost: .max)
            .filter { ids.contains($0.id) }
    }
}
