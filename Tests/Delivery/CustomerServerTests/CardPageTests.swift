import BlockingLane
import CardCryptography
import CustomerServer
import Ledger
import LedgerConformance
import Tags
import TapcardDomain
import Testing
import WebServer

@Suite("The page of a card") struct CardPageTests {
    private static func benchWithCard(takesOfflinePayments: Bool = false) async throws -> CardBench
    {
        let bench = CardBench(takesOfflinePayments: takesOfflinePayments)
        let till = LedgerTill(bench.ledger)
        try await till.complete(.issue(2000), id: 1)
        try await till.complete(.pay(.cents(450)), id: 2)
        try await till.complete(.add(.cents(123_456)), id: 3)
        return bench
    }

    /// A link preview may fetch the form any number of times, and the customer still gets the card.
    @Test("Opening an address any number of times shows a form and does not use the address up")
    func isAskedForByAFormThatUsesNothingUp() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let message = bench.address(7)
        let query = message.query.split(separator: "&").map { part in
            WebField(String(part.prefix(1)), String(part.dropFirst(2)))
        }
        for _ in 0..<100 {
            let form = await bench.get(query)
            #expect(form.status == 200 && !form.hasData && form.header("Set-Cookie") == nil)
            #expect(form.text.contains("<form method=\"post\" action=\"/c\" data-auto-submit>"))
            #expect(form.text.contains("value=\"\(message.code)\""))
        }
        // A form for values that no card has made looks the same: only the ledger's side knows.
        let other = CardBench.address(.second, 9, CustomerKeys(of: .fresh(created: "x")))
        let form = await bench.get([
            WebField("p", other.identity), WebField("d", other.data), WebField("m", other.code),
        ])
        #expect(form.status == 200)
        #expect(await bench.show(message).status == 200)
    }

    @Test("The page mentions offline payments only where they are taken")
    func promisesOfflinePaymentsOnlyWhereTheyAreTaken() async throws {
        for isOn in [false, true] {
            let bench = try await CardPageTests.benchWithCard(takesOfflinePayments: isOn)
            let page = await bench.show(bench.address(1))
            #expect(page.status == 200 && page.text.contains("Offline payments") == isOn)
            // The same card once more, in the same browser.
            let cookie = try #require(page.header("Set-Cookie")?.split(separator: ";").first)
            let again = await bench.show(bench.address(1), cookie: String(cookie))
            #expect(again.status == 200 && again.text.contains("Offline payments") == isOn)
        }
    }

    @Test("The page shows the balance and the movements, but no name and no card number")
    func showsBalanceAndMovements() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let page = await bench.show(bench.address(1))
        #expect(page.status == 200)
        for text in [
            "<small>Balance</small> $1,250.06</h1>",
            "As of <time datetime=\"2023-11-14T22:13:20Z\">",
            "14 Nov 2023, 22:13 UTC", "<span>Top-up</span><b>+$1,234.56</b>",
            "<span>Payment</span><b>\u{2212}$4.50</b>",
            "<span>Starting balance</span><b>+$20.00</b>",
        ] {
            #expect(page.text.contains(text), "\(text)")
        }
        // The newest first.
        let words = ["Top-up", "Payment", "Starting balance"].compactMap {
            page.text.firstRange(of: $0)?.lowerBound
        }
        #expect(words == words.sorted())
        // No name, no number of the card, no id: the page may be seen over a shoulder.
        #expect(
            !page.text.contains("Amanda") && !page.text.contains("\(TapcardDomain.CardUID.first)"))
        let cookie = try #require(page.header("Set-Cookie"))
        for word in ["__Host-", "Path=/", "Max-Age=60", "Secure", "HttpOnly", "SameSite=Strict"] {
            #expect(cookie.contains(word), "\(word)")
        }
    }

    @Test("An address shows the card once, and an older address has expired")
    func isFreshOnce() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let message = bench.address(5)
        let first = await bench.show(message)
        #expect(first.status == 200)
        for cookie in [nil, "other=1", "__Host-tapcard-card=0", "__Host-tapcard-card="] {
            let again = await bench.show(message, cookie: cookie)
            #expect(again.status == 410 && !again.hasData && again.header("Set-Cookie") == nil)
            #expect(again.text.contains("This link has expired"))
        }
        // An older address, which somebody has read and kept.
        #expect(await bench.show(bench.address(4)).status == 410)
        #expect(await bench.show(bench.address(6)).status == 200)
        #expect(await bench.show(message).status == 410)
    }

    @Test("The browser that opened the page can show it again for a minute")
    func isKeptForItsBrowserForAMinute() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let message = bench.address(5)
        let cookie = try #require(await bench.show(message).cookie)
        bench.pass(seconds: 59)
        let again = await bench.show(message, cookie: "a=b; \(cookie); c=d")
        #expect(again.status == 200 && again.hasData && again.header("Set-Cookie") == nil)
        // The cookie is for that page alone.
        #expect(await bench.show(bench.address(4), cookie: cookie).status == 410)
        bench.pass(seconds: 1)
        #expect(await bench.show(message, cookie: cookie).status == 410)
    }

    @Test("A newer tap ends the page of an older one at once")
    func endsWithTheNextTap() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let cookie = try #require(await bench.show(bench.address(5)).cookie)
        #expect(await bench.show(bench.address(6)).status == 200)
        let old = await bench.show(bench.address(5), cookie: cookie)
        #expect(old.status == 410 && !old.hasData)
    }

    @Test("The page says that an amount is on hold and that the card is blocked")
    func saysWhatIsWithTheCard() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let ledger = bench.ledger
        _ = try await LedgerTill(ledger).open(.pay(.cents(100)), id: 4)
        #expect(
            await bench.show(bench.address(1)).text.contains(
                "This includes $1.00 from an unfinished payment, which will be completed or"))
        _ = try await ledger.change(.first, .block, id: .numbered(5), at: .end)
        #expect(await bench.show(bench.address(2)).text.contains("This card is blocked."))
    }

    /// A card that was reissued belongs to somebody else.
    @Test("A reissued card shows nothing of the previous cardholder")
    func showsANewHolderNothingOfTheOneBefore() async throws {
        let bench = try await CardPageTests.benchWithCard()
        try await LedgerTill(bench.ledger).complete(.reissue(500), id: 9)
        let page = await bench.show(bench.address(1))
        #expect(page.text.contains("$5.00") && page.text.contains("Starting balance"))
        #expect(!page.text.contains("Payment") && !page.text.contains("Top-up"))
    }

    /// The previous cardholder opened the page in the minute before the card was reissued.
    @Test("A page that was opened before the card was reissued is not shown again")
    func isNotKeptOnceTheCardIsAnotherPersons() async throws {
        let bench = try await CardPageTests.benchWithCard()
        let cookie = try #require(await bench.show(bench.address(5)).cookie)
        #expect(await bench.show(bench.address(5), cookie: cookie).status == 200)
        try await LedgerTill(bench.ledger).complete(.reissue(500), id: 9)
        let kept = await bench.show(bench.address(5), cookie: cookie)
        #expect(kept.status == 410 && !kept.hasData)
    }

    @Test("Cards with an older key are read until that key is retired")
    func knowsTheKeysOfTheIssuer() async throws {
        let ring = KeyRing.fresh(created: "2026-11-25")
        let rotated = try ring.rotated(created: "2026-11-26")
        let before = CardBench.address(.first, 3, CustomerKeys(of: ring))
        let both = CardBench(keys: CustomerKeys(of: rotated))
        try await LedgerTill(both.ledger).complete(.issue(), id: 1)
        #expect(await both.show(before).status == 200)
        #expect(await both.show(both.address(4)).status == 200)
        let retired = CardBench(keys: CustomerKeys(of: try rotated.retiring(1)))
        try await LedgerTill(retired.ledger).complete(.issue(), id: 1)
        #expect(await retired.show(before).status == 403)
    }

    @Test("An offline ledger does not use up an address")
    func isThereOnceTheLedgerIsBack() async throws {
        let isOffline = Guarded(false)
        let bench = try await CardBench.onLedger(thatIsOffline: isOffline)
        let message = bench.address(1)
        isOffline.withLock { $0 = true }
        let absent = await bench.show(message)
        #expect(absent.status == 503 && !absent.hasData)
        #expect(absent.header("Retry-After") == "60")
        #expect(absent.text.contains("<form method=\"post\" action=\"/c\">"))
        isOffline.withLock { $0 = false }
        #expect(await bench.show(message).status == 200)
    }
}
