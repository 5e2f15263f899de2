import Testing
import WebServer

@Suite("The order in which connections leave a full server") struct CrowdTests {
    private static func member(
        _ number: UInt64, _ client: String, isKnown: Bool = false, canBeClosed: Bool = true,
        since: UInt64? = nil
    ) -> Crowd.Member {
        Crowd.Member(
            number: number, client: client, isKnown: isKnown, canBeClosed: canBeClosed,
            waitingSince: since ?? number)
    }

    @Test("The longest idle connection of the busiest address leaves first")
    func shares() {
        let crowd = Crowd([
            Self.member(1, "a"), Self.member(2, "b"), Self.member(3, "b"), Self.member(4, "b"),
            Self.member(5, "c"), Self.member(6, "c"),
        ])
        #expect(crowd.connectionsToClose == [2, 3, 5, 1, 4, 6])
    }

    @Test("Connections with a request stay but count for their address")
    func busy() {
        let crowd = Crowd([
            Self.member(1, "a"), Self.member(2, "a"), Self.member(3, "b", canBeClosed: false),
            Self.member(4, "b", canBeClosed: false), Self.member(5, "b"),
        ])
        #expect(crowd.connectionsToClose == [5, 1, 2])
    }

    @Test("Logged-in clients do not count for their address and leave last")
    func known() {
        let tills = (1...300).map { Self.member($0, "shop", isKnown: true) }
        let crowd = Crowd(tills + [Self.member(400, "shop"), Self.member(401, "a", since: 0)])
        #expect(crowd.connectionsToClose.prefix(2) == [401, 400])
        #expect(Array(crowd.connectionsToClose.dropFirst(2)) == (1...300).map { UInt64($0) })
    }

    @Test("A logged-in client stays while a stranger that just arrived may soon leave")
    func justCome() {
        let till = Self.member(1, "shop", isKnown: true)
        let stranger = Crowd.Member(
            number: 2, client: "a", isKnown: false, canBeClosed: false, canBeClosedSoon: true,
            waitingSince: 2)
        #expect(Crowd([till, stranger]).connectionsToClose.isEmpty)
        #expect(Crowd([till, Self.member(2, "a", canBeClosed: false)]).connectionsToClose == [1])
        #expect(Crowd([stranger, Self.member(3, "a")]).connectionsToClose == [3])
    }
}
