import CardCryptography
package import Ledger
package import TapcardDomain

/// The cards shown in the last minute, each with the cookie of the browser that showed it. That
/// browser can load the page again; one that only has a copy of the address cannot.
package struct ShownCards: Sendable {
    /// The number of seconds during which a browser can see a page again.
    package static let seconds: Int64 = 60
    /// The maximum number of pages kept. Beyond that, the oldest is dropped.
    package static let maximumCount = 4_096
    private static let secretBytes = 24

    private struct Shown {
        let uid: CardUID
        let counter: ReadCounter
        /// The account of the cardholder who saw the page. A reissued card has a different account.
        let account: Account
        let end: Int64
    }

    private var shown: [String: Shown] = [:]
    /// The cookies, oldest first.
    private var order: [String] = []

    package init() {}

    /// The number of pages currently kept.
    package var count: Int { shown.count }

    /// Stores a page and returns the cookie for its browser.
    package mutating func keep(
        _ uid: CardUID, _ counter: ReadCounter, _ account: Account, at now: Int64
    ) -> String {
        // All pages are kept for the same length of time, so the expired ones are at the front. One
        // more is dropped if the new page would exceed the maximum.
        let over = order.prefix { shown[$0].map { $0.end <= now } ?? true }
        forget(max(over.count, order.count - ShownCards.maximumCount + 1))
        let cookie = RandomBytes.make(ShownCards.secretBytes).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined()
        shown[cookie] = Shown(
            uid: uid, counter: counter, account: account, end: now + ShownCards.seconds * 1_000)
        order.append(cookie)
        return cookie
    }

    /// Whether the browser with this cookie was shown this page in the last minute.
    package func has(
        _ cookie: String, _ uid: CardUID, _ counter: ReadCounter, _ account: Account,
        at now: Int64
    ) -> Bool {
        guard let page = shown[cookie] else { return false }
        return page.uid == uid && page.counter == counter && page.account == account
            && now < page.end
    }

    private mutating func forget(_ count: Int) {
        guard count > 0 else { return }
        for cookie in order.prefix(count) { shown[cookie] = nil }
        order.removeFirst(min(count, order.count))
    }
}
