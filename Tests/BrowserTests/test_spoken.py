"""What screen readers announce matches the screen, is short, and has no ids."""

import json
import re

from selenium.webdriver.common.keys import Keys

from case import BrowserCase
from test_asked_again import STREAMS
from test_faults import WHOLE, FaultCase
from test_lost_answers import INSTEAD

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|tapcard |--|\b04[0-9A-F\s]{12}", re.IGNORECASE)
EARLIER = {"operation": "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f", "kind": "pay", "amount": "-4.50",
           "outcome": "committed"}
# The server's report on an operation with an unknown outcome.
LOST = json.dumps({
    "status": 500, "error": "outcome-unknown", "result": "unknown",
    "title": f"The reader does not answer. The closing {EARLIER['operation']} is open.",
    "meaning": "0 of 4 pages were written.",
    "advice": "Tap the card again. To repeat it, add --operation 0b9f1f6e-5a3c.", "resolved": [],
    "next": [{"step": "tap-to-resolve", "because": "reader-lost"},
             {"step": "repeat-with-id", "operation": EARLIER["operation"]}]})
# A prize that does not fit on its card.
TICKETS = json.dumps({"upcoming": [], "drawn": [{
    "id": "ticket-1", "draw": "draw-1", "date": "2026-01-01", "balls": [], "bonus": {"number": 1},
    "won": True, "prize": "7.00", "claim": "drawer"}]})
AGAIN = "Charge again"
# Delays the page's next question, so that an unknown outcome lasts until it is heard.
LASTING = INSTEAD.replace("  window.fetch = send;", """
  window.fetch = async (...next) => {
    while (!window.letGo) await new Promise((go) => setTimeout(go, 20));
    window.fetch = send;
    return send(...next);
  };""")


class UnknownTests(FaultCase):
    loses_server = True
    words = "Outcome unknown, $2.50. Tap the same card again to finish."

    def assertTwoSentences(self):
        """A title and its line are two sentences, whatever the server said."""
        told = self.page.script(
            "return [...document.querySelectorAll('.moment h2, .moment p')]"
            ".map((it) => it.innerText)")
        self.assertEqual(
            told, ["Outcome unknown, $2.50", "Tap the same card again to finish."])

    def tear(self):
        self.till.tear(WHOLE)
        self.page.listen()
        self.page.take("$2.50")
        self.page.panel("unknown")

    def test_an_unknown_outcome_is_two_sentences_also_when_spoken_and_after_a_reload(self):
        self.tear()
        self.page.hear(self.words)
        self.assertTwoSentences()
        self.wait_at_the_reader()
        self.page.driver.refresh()
        self.page.panel("unknown")
        self.page.listen()
        self.page.wait("window.calls.some(([, path]) => path.endsWith('/pay'))")
        self.page.see("Reader ready")
        self.assertTwoSentences()
        for heard in self.page.heard():
            self.assertNotRegex(heard, ID)
        self.till.put(self.uid)
        self.page.panel("done")

    def test_it_is_the_same_after_a_restart_of_the_server(self):
        self.tear()
        self.wait_at_the_reader()
        self.till.server.kill()
        self.page.see("Reconnecting")
        self.till.start()
        self.page.see("Reader ready")
        self.page.panel("unknown")
        self.assertTwoSentences()
        for heard in self.page.heard():
            self.assertNotRegex(heard, ID)

    def test_without_a_card_a_restart_of_the_server_is_no_doubt(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.listen()
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.server.kill()
        self.page.see("Reconnecting")
        self.till.start()
        self.page.panel("failed")
        self.page.hear("Payment failed. The server has no record of this; nothing was done. "
                       "Try again.")
        for heard in self.page.heard():
            self.assertNotRegex(heard, ID)

    def test_another_card_is_the_wrong_one_until_it_has_gone(self):
        self.tear()
        self.wait_at_the_reader()
        self.till.put("NTAG213")
        self.page.see("That is a different card. Tap the first one again.")
        self.assertNotRegex(self.page.text(), r"is on the reader, but")
        self.till.take()
        self.page.see_no("That is a different card")
        self.assertTwoSentences()


class OtherUnknownTests(BrowserCase):
    def test_the_others_say_no_id_either(self):
        self.till.make_demo("60.00")
        self.till.call("POST", "pay", {"amount": "2.50"})
        self.page.open()
        for view, place, presses, words in (
                ("history", "/refund", ["Refund \u2212$2.50", "Refund payment", "Refund payment"],
                 "Outcome unknown, $2.50. Tap the same card again to finish."),
                ("tickets", "/ticket/claim", ["Pay out in cash"] * 2,
                 "Outcome unknown, $7.00. "
                 "Don't give the customer any cash until the outcome is known."),
                ("cards", "/close", ["Pay out and close"] * 2,
                 "Outcome unknown, $57.50. Tap the same card again to finish.")):
            with self.subTest(place):
                self.page.script(INSTEAD, "/tickets", 200, TICKETS)
                self.page.go(view)
                self.page.find(presses[0])
                self.page.script("window.letGo = false")
                self.page.script(LASTING, place, 500, LOST)
                self.page.listen()
                for each in presses:
                    self.page.press(each)
                self.page.hear(words)
                self.page.script("window.letGo = true")
                for heard in self.page.heard():
                    self.assertNotRegex(heard, ID)
                # The page asks again on its own and gets an answer.
                self.page.wait("document.querySelector('.panel.done, .panel.failed')")
                self.page.leave_check()
                if view == "tickets":
                    self.page.press("Back")


class SpokenTests(BrowserCase):
    def setUp(self):
        super().setUp()
        driver = self.page.driver
        added = driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": STREAMS})
        self.addCleanup(driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.till.make_demo("20.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.page.listen()

    def answer(self, **members):
        self.page.script(INSTEAD, "/pay", members.get("status", 200), json.dumps(members))

    def test_what_the_tap_resolved_is_spoken_with_its_outcome(self):
        self.answer(result="done", operation=EARLIER["operation"][:-1] + "0", amount="-2.50",
                    uid=self.till.read()["uid"], balance="17.50", resolved=[EARLIER])
        self.page.take("$2.50")
        self.page.hear(
            "Paid $2.50. $17.50 left. The earlier $4.50 payment went through.")
        self.page.leave_check()
        self.answer(status=409, error="insufficient-balance", result="refused",
                    title="The balance is too low: $1.00 available, $5.00 needed.",
                    meaning="Nothing was changed, and no money moved.",
                    advice="Top up with tapcard add, or charge less.",
                    next=[{"step": "top-up"}], resolved=[EARLIER])
        self.page.take("$5.00")
        self.page.hear("Payment failed. The balance is too low: $1.00 available, $5.00 needed. "
                       "Top up the card first, or charge less. "
                       "The earlier $4.50 payment went through.")

    def test_what_was_resolved_as_a_card_was_laid_down_is_spoken_with_the_card(self):
        read = self.till.read()
        self.page.script(
            "stream.dispatchEvent(new MessageEvent('card', { data: arguments[0] }))",
            json.dumps({"session": 99, "problem": None, "read": {**read, "resolved": [EARLIER]}}))
        self.page.hear("The earlier $4.50 payment went through. "
                       "Amanda Gonzalez, balance $20.00.")

    def test_that_the_card_has_just_paid_is_spoken_and_the_keyboard_keeps_its_place(self):
        self.page.take("$1.00")
        self.page.panel("done")
        self.page.leave_check()
        self.page.wait("window.heard.some((each) => each.includes(arguments[0]))",
                       "Already paid. Remove the card, or charge it again.")
        again = self.page.find(AGAIN)
        self.page.come_to_rest(again)
        self.page.script("arguments[0].focus()", again)
        self.page.keys(Keys.ENTER)
        self.page.wait("!document.querySelector('.again')")

    def test_a_blank_tag_in_a_payment_is_spoken_once_and_says_what_to_do(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$1.00")
        self.page.panel("waiting")
        self.till.put("NTAG213")
        self.page.see("This tag is blank.")
        self.page.wait("!document.querySelector('.moment')")
        self.page.driver.execute_async_script("setTimeout(arguments[0], 500)")
        self.assertEqual(len([each for each in self.page.heard() if "is blank" in each]), 1)

    def test_a_pay_out_is_spoken_without_the_cards_number(self):
        self.page.go("cards")
        self.page.press("Pay out and close")
        self.page.press("Pay out and close")
        self.page.hear("Card closed. Give the customer $20.00")
