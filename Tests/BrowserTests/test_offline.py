"""What a cashier sees while the ledger is offline, and when it is back."""

from case import BrowserCase
from database import TestIssuer
from test_faults import CALLS

OFFLINE = "The ledger is offline."
NOT_NOW = "Ledger not available"
DANGER = "Card not accepted"


class IssuerCase(BrowserCase):
    more = {}

    def setUp(self):
        self.issuer = TestIssuer()
        self.addCleanup(self.issuer.close)
        self.options = ("--ledger", self.issuer.address)
        self.settings = {**self.issuer.settings, **self.more}
        super().setUp()
        self.uid = self.till.make_demo("20.00")


class RefusingTests(IssuerCase):
    def test_an_honest_card_is_not_dressed_as_a_forged_one(self):
        page, till = self.page, self.till
        page.open()
        page.see("Amanda Gonzalez", "$20.00")
        till.take()
        page.see("Tap a card")
        self.issuer.stop()
        page.see(OFFLINE)
        till.put(self.uid)
        page.see("Amanda Gonzalez", "$20.00", NOT_NOW, "Try again later, or take cash.")
        text = page.text()
        self.assertNotIn(DANGER, text)
        self.assertNotIn("Not available for this card", text)
        self.assertEqual(page.count(".doubtful, .note.bad"), 0)
        self.assertFalse(page.can_press("Payment"))
        self.assertFalse(page.can_press("Top-up"))
        page.go("pay")
        page.see("Quick amounts", OFFLINE)
        self.assertFalse(page.can_press("$1.00"))
        self.issuer.start()
        page.see_no(OFFLINE)
        page.press("$1.00")
        page.panel("done")
        page.see("$19.00 left")

    def test_a_card_with_a_problem_of_its_own_stays_dressed_as_one(self):
        page, till = self.page, self.till
        page.open()
        page.see("Amanda Gonzalez")
        till.take()
        self.issuer.stop()
        page.see(OFFLINE)
        till.put("NTAG213")
        page.see("Blank tag", "Not available for this card")
        page.see(OFFLINE)

    def test_the_state_of_the_ledger_is_told_without_a_card(self):
        page = self.page
        self.till.take()
        page.open()
        page.see("Tap a card")
        self.assertTrue(page.can_press("Payment"))
        page.listen()
        self.issuer.stop()
        page.see(f"{OFFLINE} Cash sales only until it is back.", NOT_NOW)
        page.hear(f"{OFFLINE} Cash sales only until it is back.")
        self.assertFalse(page.can_press("Payment"))
        # A page that is opened now also shows it.
        page.open()
        page.see(f"{OFFLINE} Cash sales only until it is back.", NOT_NOW)
        page.listen()
        self.issuer.start()
        page.see_no(OFFLINE)
        page.hear("The ledger is back.")
        self.assertTrue(page.can_press("Payment"))

    def test_the_history_says_once_and_plainly_that_it_cannot_be_read(self):
        page = self.page
        self.issuer.stop()
        page.open("history", until="Try again once it is back.")
        text = page.text()
        for raw in ("connection", "socket", "server closed", "libpq", "database"):
            self.assertNotIn(raw, text)
        self.assertEqual(text.count("Try again once it is back."), 1)
        # The history appears on its own as soon as it can.
        self.issuer.start()
        page.see("Recent activity", "Top-up", "$20.00")


class SellingCase(IssuerCase):
    more = {"TAPCARD_OFFLINE_PAYMENTS": "true"}

    def setUp(self):
        super().setUp()
        # The server also takes a snapshot, but at a time of its own.
        self.till.run("station", "snapshot", *self.options)

    def pay(self, amount, again=False):
        self.page.go("pay")
        if again:
            self.page.press("Charge again")
        self.page.type("Other amount", amount)
        self.page.press("Charge")


class SellingTests(SellingCase):
    def test_a_payment_is_booked_later_and_the_amount_that_is_left_is_shown(self):
        page = self.page
        page.open()
        page.see("Amanda Gonzalez", "$20.00")
        self.issuer.stop()
        page.see(OFFLINE)
        page.script(CALLS)
        self.pay("2.50")
        page.panel("done")
        # No other card that is there by then is charged.
        body, = page.script(
            "return window.calls.filter(([, path]) => path.endsWith('/pay'))"
            ".map(([, , body]) => JSON.parse(body))")
        self.assertEqual(body.get("card"), self.uid)
        page.see("Paid offline", "$17.50 left")
        page.leave_check()
        page.go("home")
        page.see("$17.50", "Will be recorded later",
                 "The ledger is offline. You can still take up to $497.50 in payments; "
                 "they will be recorded later.",
                 "Offline payments not yet recorded: $2.50.")
        page.see("less any payments this station has not recorded yet")
        self.assertNotIn("$20.00", page.text())
        self.assertEqual(page.count(".doubtful"), 0)
        self.issuer.start()
        page.see("offline payments were recorded at")
        page.see_no(OFFLINE)
        page.see("$17.50")
        self.assertEqual(self.till.done("offline"), ["-2.50"])
        self.assertAudited()

    def test_a_payment_that_cannot_be_booked_later_is_refused_with_its_reason(self):
        page, till = self.page, self.till
        page.open()
        page.see("Amanda Gonzalez")
        self.issuer.stop()
        for amount, why in (
                ("12.00", "Only $10.00 more can be paid offline with this card."),
                ("9.00", None), ("2.00", "Only $1.00 more can be paid offline with this card.")):
            self.pay(amount, again=amount == "2.00")
            page.panel("failed" if why else "done")
            if why:
                page.see("Payment failed", why, "Cash sales only until the ledger is back.")
                page.press("Back")
            else:
                page.leave_check()


class LimitTests(SellingCase):
    more = {"TAPCARD_OFFLINE_PAYMENTS": "true", "TAPCARD_OFFLINE_STATION_LIMIT": "3.00"}

    def test_a_till_that_has_sold_enough_takes_cash(self):
        page = self.page
        page.open()
        page.see("Amanda Gonzalez")
        self.issuer.stop()
        self.pay("3.00")
        page.panel("done")
        page.leave_check()
        page.see(f"{OFFLINE} Cash sales only until it is back.")
        self.pay("0.50", again=True)
        page.panel("failed")
        page.see("This station has reached its offline limit.",
                 "Cash sales only until the ledger is back.")
