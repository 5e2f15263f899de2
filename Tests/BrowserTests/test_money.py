"""Payments, top-ups, refusals and refunds: nothing moves that was not shown."""

import json
import uuid

from selenium.webdriver.common.keys import Keys

from case import BrowserCase
from till import Refused
from test_lost_answers import INSTEAD


class MoneyTests(BrowserCase):
    def test_preset_and_free_amounts_move_money_once(self):
        self.till.make_demo()
        self.page.open()
        self.page.press("Top-up")
        self.page.see("Top-up amount")
        self.page.take("$20.00")
        self.page.panel("done")
        self.page.see("Topped up", "Balance $20.00")
        self.page.leave_check()
        self.page.take("$2.50")
        self.page.panel("done")
        self.page.see("Paid", "$17.50 left")
        self.page.leave_check()
        self.page.type_amount("4.25")
        self.page.press("Charge again")
        self.page.panel("done")
        self.page.see("$13.25 left")
        self.page.leave_check()
        self.assertEqual(sorted(self.till.done("pay")), ["-2.50", "-4.25"])
        self.assertEqual(self.till.done("add"), ["20.00"])
        self.assertAudited()

    def test_insufficient_balance_says_what_is_there_once(self):
        self.till.make_demo("3.00")
        self.page.open("home")
        self.page.take("$10.00")
        self.page.panel("failed")
        with self.assertRaises(Refused) as refused:
            self.till.call("POST", "pay", {"amount": "10.00"})
        problem = refused.exception.document
        self.page.see("Payment failed", problem["title"], "Top up the card first, or charge less.")
        text = self.page.text()
        self.assertEqual(text.count(problem["title"]), 1)
        self.assertNotIn("tapcard add", text)
        self.assertNotIn("ledger", text)
        self.page.press("Back")
        self.page.see("$3.00")
        self.assertEqual(self.till.done("pay"), [])

    def test_a_card_is_waited_for_and_cancelling_pays_nothing(self):
        self.till.make_demo("5.00")
        self.till.take()
        self.page.open("home")
        self.page.see("Tap a card")
        self.page.take("$1.00")
        self.page.panel("waiting")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('.moment')")
        self.page.take("$1.00")
        self.page.panel("waiting")
        self.page.keys(Keys.ESCAPE)
        self.page.wait("!document.querySelector('.moment')")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.put()
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_a_refund_goes_back_to_its_card(self):
        self.till.make_demo("20.00")
        for amount in ("2.50", "4.00"):
            self.till.call("POST", "pay", {"amount": amount})
        self.page.open("history")
        self.page.see("2 card payments: $6.50, 1 top-up: $20.00")
        self.page.press("Refund \u2212$4.00")
        self.page.press("Refund payment")
        self.page.see("Refund $4.00?")
        self.page.press("Refund payment")
        self.page.panel("done")
        self.page.leave_check()
        self.page.see("refund recorded")
        self.page.press("Refund \u2212$2.50")
        self.page.type("Amount (blank for full amount)", "1,0")
        self.page.press("Refund payment")
        self.page.see("enter 1.0")
        self.page.type("Amount (blank for full amount)", "1.00")
        self.page.press("Refund payment")
        self.page.press("Refund payment")
        self.page.panel("done")
        self.page.leave_check()
        self.page.wait("document.querySelectorAll('.entry > small').length === 2")
        self.assertEqual(sorted(self.till.done("refund")), ["1.00", "4.00"])
        self.assertAudited()

    def answer_refund(self, uid, amount):
        """The server's answer when a top-up was reversed."""
        self.page.script(INSTEAD, "/refund", 200, json.dumps({
            "result": "done", "operation": str(uuid.uuid4()), "uid": uid, "amount": f"-{amount}",
            "balance": "20.00", "sequence": 5, "replayed": False}))

    def test_an_addition_is_undone_and_handed_out(self):
        uid = self.till.make_demo("20.00")
        self.page.open("add")
        self.page.see("Amanda Gonzalez")
        self.page.take("$10.00")
        self.page.see("Topped up", "Balance $30.00")
        self.answer_refund(uid, "10.00")
        self.page.press("Undo and give back $10.00")
        self.page.see("Top-up undone", "Give the customer $10.00")

    def test_an_addition_is_reversed_from_the_history(self):
        uid = self.till.make_demo("20.00")
        self.page.open("history")
        self.page.press("Undo top-up $20.00")
        self.page.press("Undo this top-up")
        self.page.see("Undo the $20.00 top-up?", "Give the customer the $20.00 in cash")
        self.answer_refund(uid, "20.00")
        self.page.press("Undo this top-up")
        self.page.see("Give the customer $20.00")

    def test_history_of_one_card_and_the_day_before(self):
        self.till.make_demo("5.00")
        self.till.put("NTAG213")
        self.till.make_card(name="Eva", balance="7.00")
        self.page.open()
        self.page.press("Card history")
        self.page.see("$7.00")
        self.page.see_no("$5.00")
        self.page.press("All cards")
        self.page.see("$5.00", "Daily totals, all tills")
        self.page.press("Show as table")
        self.page.wait("document.querySelector('figure table').innerText.includes('$')")
        self.page.press("Previous day")
        self.page.see("No payments, top-ups, or payouts.")
        self.page.press("Next day")
        self.page.see("0 card payments: $0.00")


class PaceTests(BrowserCase):
    options = ("--demo-pace",)

    def test_at_demonstration_pace_the_spinner_stays_for_six_seconds(self):
        self.till.make_demo("5.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        # On the page's own clock, the time is never shorter, however slow the machine is.
        self.page.script("""
          window.since = {};
          window.titles = new Set();
          new MutationObserver(() => ["working", "done"].forEach((kind) => {
            const panel = document.querySelector(`.moment.${kind}, .due.${kind}`);
            if (panel) since[kind] ??= performance.now();
            if (panel && kind === "working") titles.add(panel.querySelector("p").innerText);
          })).observe(document.querySelector("main"), { childList: true, subtree: true });
        """)
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertGreaterEqual(self.page.script("return since.done - since.working"), 5900)
        self.assertNotIn("done", self.page.script("return [...titles].map((it) => it.toLowerCase())"))
        self.assertEqual(self.till.done("pay"), ["-1.00"])
