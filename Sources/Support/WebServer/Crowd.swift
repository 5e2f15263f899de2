/// The connections of a full server, and the order in which they are closed to make room.
///
/// Room is shared among addresses: the address with the most connections is the first to lose one,
/// namely the one that has gone longest without a complete request. Connections from known clients,
/// which have authenticated, do not count toward their address, because many clients may share it.
/// They are closed last, and none of them is closed if a new connection from an unknown client can
/// be closed in a moment.
package struct Crowd {
    package struct Member {
        let number: UInt64
        let client: String
        let isKnown: Bool
        let canBeClosed: Bool
        let canBeClosedSoon: Bool
        let waitingSince: UInt64

        package init(
            number: UInt64, client: String, isKnown: Bool, canBeClosed: Bool,
            canBeClosedSoon: Bool = false, waitingSince: UInt64
        ) {
            (self.number, self.client, self.isKnown) = (number, client, isKnown)
            (self.canBeClosed, self.canBeClosedSoon) = (canBeClosed, canBeClosedSoon)
            self.waitingSince = waitingSince
        }
    }

    private let members: [Member]

    package init(_ members: [Member]) { self.members = members }

    /// The numbers of the connections that can be closed, in the order in which to close them.
    package var connectionsToClose: [UInt64] {
        // The number of each address's connections that have not been ranked yet.
        var remaining: [String: Int] = [:]
        for member in members where !member.isKnown { remaining[member.client, default: 0] += 1 }
        // An unknown client's connection can be closed after its first second, so no known client
        // has to lose its connection.
        let canCloseUnknownSoon = members.contains { $0.canBeClosedSoon && !$0.isKnown }
        return members.filter { $0.canBeClosed && !($0.isKnown && canCloseUnknownSoon) }
            .sorted { ($0.waitingSince, $0.number) < ($1.waitingSince, $1.number) }
            .enumerated().map { rank, member -> (number: UInt64, share: Int, rank: Int) in
                // A share of 0 puts the connections of known clients last.
                guard !member.isKnown, let share = remaining[member.client] else {
                    return (member.number, 0, rank)
                }
                remaining[member.client] = share - 1
                return (member.number, share, rank)
            }
            // The largest share first; among equal shares, the connection that has waited longest.
            .sorted { ($0.share, $1.rank) > ($1.share, $0.rank) }.map(\.number)
    }
}
