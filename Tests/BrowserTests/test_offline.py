"""What a cashier sees while the ledger is offline or cannot be used, and when it is back."""

import json
import sqlite3

from case import BrowserCase
from database import TestIssuer
from test_faults import CALLS

OFFLINE = "The ledger is offline."
AGAIN = "Try again once the ledger is back online."
SELL = "Take cash and write the sale down, or try again once the ledger is back online."
RETURN = "Return the money, or top up once the ledger is back online."
NO_CASH = "Don't give the customer any cash."
# Begins an operation that the server refuses; with `isLost`, its first response is lost.
BEGIN = """
const [begun, problem, isLost, done] = arguments;
const send = window.sending ??= window.fetch;
let count = 0;
window.fetch = (path, options) => {
  if (!String(path).endsWith(`/${begun.verb}`)) return send(path, options);
  count += 1;
  return isLost && count === 1 ? Promise.reject(new TypeError())
    : Promise.resolve(new Response(problem, { status: 503 }));
};
Promise.all([import("/store.js"), import("/tasks.js")]).then(([{ state }, { begin, dismiss }]) => {
  Object.keys(state.tasks).forEach(dismiss);
  begin(begun.verb, begun.body ?? {}, { kind: begun.kind ?? begun.verb });
  done();
});
"""
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
        page.see("Amanda Gonzalez", "$20.00", NOT_NOW, AGAIN)
        text = page.text()
        self.assertNotIn(DANGER, text)
        self.assertNotIn("Not available", text)
        self.assertEqual(page.count(".doubtful, .note.bad"), 0)
        self.assertFalse(page.can_press("Top-up"))
        page.take("$1.00")
        self.assertEqual(page.count(".moment"), 0)
        self.issuer.start()
        page.see_no(OFFLINE)
        page.take("$1.00")
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
        page.see("Blank tag")
        page.see(OFFLINE)

    def test_the_state_of_the_ledger_is_told_without_a_card(self):
        page = self.page
        self.till.take()
        page.open()
        page.see("Tap a card")
        self.assertTrue(page.can_press("Top-up"))
        page.listen()
        self.issuer.stop()
        page.see(f"{OFFLINE} Take cash, and write each sale down until it is back.", NOT_NOW)
        page.hear(f"{OFFLINE} Take cash, and write each sale down until it is back.")
        self.assertFalse(page.can_press("Top-up"))
        # A page that is opened now also shows it.
        page.open()
        page.see(f"{OFFLINE} Take cash, and write each sale down until it is back.", NOT_NOW)
        page.listen()
        self.issuer.start()
        page.see_no(OFFLINE)
        page.hear("The ledger is back online.")
        self.assertTrue(page.can_press("Top-up"))

    def test_the_history_says_once_and_plainly_that_it_cannot_be_read(self):
        page = self.page
        self.issuer.stop()
        page.open("history", until=AGAIN)
        text = page.text()
        for raw in ("connection", "socket", "server closed", "libpq", "database"):
            self.assertNotIn(raw, text)
        self.assertEqual(text.count(AGAIN), 1)
        # The history appears on its own as soon as it can.
        self.issuer.start()
        page.see("Recent activity", "Top-up", "$20.00")


class RefusalTests(BrowserCase):
    """What to do about each operation that failed because of the ledger."""

    def setUp(self):
        super().setUp()
        self.till.make_demo("20.00")
        self.page.open()
        self.page.see("Amanda Gonzalez")

    def begin(self, verb, error, isLost=False, next=(), result="ledger", **members):
        self.page.driver.execute_async_script(BEGIN, {"verb": verb, **members}, json.dumps({
            "error": error, "result": result, "title": "It cannot be used.", "uid": None,
            "meaning": "Nothing was done.", "next": [{"step": each} for each in next],
            "resolved": [], "operation": None}), isLost)
        self.page.panel("unknown" if isLost else "failed")
        return self.page.script("return document.querySelector('.panel').innerText")

    def test_cash_is_taken_only_for_a_payment_and_never_given_out(self):
        for verb, members, advice in (
                ("pay", {}, SELL), ("add", {}, RETURN), ("ticket/buy", {}, AGAIN),
                ("refund", {}, AGAIN), ("refund", {"kind": "reverse"}, f"{NO_CASH} {AGAIN}"),
                ("close", {}, f"{NO_CASH} {AGAIN}"),
                ("ticket/claim", {}, AGAIN),
                ("ticket/claim", {"body": {"paidOut": True}}, f"{NO_CASH} {AGAIN}"),
                ("scratch", {}, AGAIN)):
            with self.subTest(verb, **members):
                told = self.begin(verb, "ledger-offline", **members)
                self.assertIn(OFFLINE, told)
                self.assertIn(advice, told.split("\n"))

    def test_no_cash_is_given_out_whatever_is_wrong_with_the_ledger(self):
        for error, next in (("ledger-unavailable", ()), ("ledger-undeclared", ()),
                            ("ledger-full", ("take-no-money",)), ("ledger-currency", ())):
            for verb, kind, isOut in (("close", "close", True), ("refund", "reverse", True),
                                      ("refund", "refund", False)):
                with self.subTest(error, kind=kind):
                    told = self.begin(verb, error, next=next, kind=kind)
                    self.assertEqual(told.count(NO_CASH), int(isOut), told)

    def test_a_repeated_top_up_is_not_said_to_have_failed(self):
        told = self.begin("add", "ledger-offline", isLost=True, body={"amount": "5.00"})
        self.assertIn("Outcome unknown", told)
        self.assertIn(OFFLINE, told)
        for words in ("Top-up failed", "not topped up", "cash"):
            self.assertNotIn(words, told)

    def test_a_ticket_cannot_be_had_for_less(self):
        for verb, advice in (("pay", "Top up the card first, or charge less."),
                             ("ticket/buy", "Top up the card first.")):
            told = self.begin(verb, "insufficient-balance", next=("top-up",), result="refused")
            self.assertIn(advice, told.split("\n"))

    def test_a_locked_ledger_promises_no_offline_payments(self):
        page = self.page
        page.go("home")
        home = f"{self.till.home}/.local/share/tapcard/simulated"
        ledger = sqlite3.connect(f"{home}/ledger.sqlite", isolation_level=None)
        self.addCleanup(ledger.close)
        ledger.execute("BEGIN EXCLUSIVE")
        page.take("$1.00")
        page.panel("failed")
        page.see("Payment failed", "Another program is using the ledger.", "Try again in a moment.")
        for word in ("offline", "sqlite"):
            self.assertNotIn(word, page.text())
        ledger.execute("ROLLBACK")
        page.press("Back")
        page.take("$1.00")
        page.panel("done")


class SellingCase(IssuerCase):
    more = {"TAPCARD_OFFLINE_PAYMENTS": "true"}

    def setUp(self):
        super().setUp()
        # The server also takes a snapshot, but at a time of its own.
        self.till.run("offline", "snapshot", *self.options)

    def pay(self, amount, again=False):
        self.page.go("home")
        if again:
            self.page.press("Charge again")
        self.page.take(amount)


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
        page.see("$17.50",
                 "The ledger is offline. You can still take up to $497.50 in card payments; "
                 "they will be recorded later.",
                 "Offline payments not in the ledger yet: $2.50.")
        page.see("minus offline payments that are not in the ledger yet")
        self.assertNotIn("$20.00", page.text())
        self.assertEqual(page.count(".doubtful"), 0)
        self.issuer.start()
        page.see("All offline payments taken here were recorded at")
        page.see_no(OFFLINE)
        page.see("$17.50")
        self.assertEqual(self.till.done("offline"), ["-2.50"])
        self.assertAudited()

    def test_a_card_that_can_pay_is_announced_without_a_refusal(self):
        page, till = self.page, self.till
        page.open()
        page.see("Amanda Gonzalez")
        till.take()
        page.see("Tap a card")
        self.issuer.stop()
        page.see(OFFLINE)
        page.listen()
        till.put(self.uid)
        page.see("minus offline payments that are not in the ledger yet")
        page.hear("Amanda Gonzalez, balance $20.00.")
        self.assertNotIn("Try again", " ".join(page.heard()))

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
                # Less can still be paid, and other cards can pay.
                page.see("Payment failed", why, SELL)
                page.press("Back")
            else:
                page.leave_check()


class LimitTests(SellingCase):
    more = {"TAPCARD_OFFLINE_PAYMENTS": "true", "TAPCARD_OFFLINE_SERVER_LIMIT": "3.00"}

    def test_a_till_that_has_sold_enough_takes_cash(self):
        page = self.page
        page.open()
        page.see("Amanda Gonzalez")
        self.issuer.stop()
        self.pay("3.00")
        page.panel("done")
        page.leave_check()
        page.see(f"{OFFLINE} Take cash, and write each sale down until it is back.")
        self.pay("0.50", again=True)
        page.panel("failed")
        page.see("This till has reached its offline limit.", SELL)
