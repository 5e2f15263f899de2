"""Requests that the server wants repeated, and what else a tap resolved."""

import json

from case import BrowserCase

# Refuses the first payment, and records what is sent.
REFUSED = """
const [text] = arguments;
const send = window.fetch;
window.asked = [];
window.fetch = (path, options) => {
  if (!String(path).endsWith("/pay")) return send(path, options);
  window.asked.push(JSON.parse(options.body));
  return Promise.resolve(new Response(text, { status: asked.length === 1 ? 409 : 200 }));
};
"""
# Keeps the event stream, so that a test can tell this page about the card.
STREAMS = """
const Source = window.EventSource;
window.EventSource = class extends Source {
  constructor(...given) { super(...given); window.stream = this; }
};
"""
EARLIER = {"operation": "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f", "kind": "pay", "amount": "-4.50",
           "outcome": "committed"}
CLOSED = {**EARLIER, "kind": "close", "amount": "-9.00"}
VOIDED = {**EARLIER, "outcome": "voided"}


class AskedAgainTests(BrowserCase):
    def setUp(self):
        super().setUp()
        driver = self.page.driver
        added = driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": STREAMS})
        self.addCleanup(driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.uid = self.till.make_demo("20.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")

    def refuse(self, error, **more):
        self.page.script(REFUSED, json.dumps({
            "status": 409, "error": error, "result": "refused", "title": f"It was {error}.",
            "meaning": "Nothing was done.", "advice": "For a terminal: --flag.", **more}))

    def asked(self):
        return self.page.script("return window.asked")

    def test_what_needs_a_confirmation_is_asked_about_and_sent_with_it(self):
        for error, member, title, action in (
                ("confirmation-needed", "confirmed", "Charge $10.00?", "Yes, $10.00"),
                ("just-resolved", "again", "Charge $10.00 again?", "Yes, do it again")):
            with self.subTest(error):
                self.refuse(error, resolved=[EARLIER] if member == "again" else [])
                self.page.take("$10.00")
                self.page.see(title, f"It was {error}.", "Nothing was charged.")
                self.assertNotIn("--flag", self.page.text())
                self.assertEqual(self.page.focused(), "Cancel")
                self.assertEqual(self.page.count(".panel"), 0)
                self.page.press(action)
                self.page.wait("window.asked.length === 2")
                first, second = self.asked()
                self.assertNotIn(member, first)
                self.assertTrue(second[member])
                self.assertEqual(second["amount"], first["amount"])
                self.assertNotEqual(second["operation"], first["operation"])
                self.page.driver.execute_script("sessionStorage.clear()")
                self.page.open("home")
                self.page.see("Amanda Gonzalez")
        self.assertEqual(self.till.done("pay"), [])

    def test_who_does_not_confirm_moves_nothing(self):
        self.refuse("confirmation-needed")
        self.page.take("$10.00")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('dialog')")
        self.page.see("Amount due")
        self.assertEqual(len(self.asked()), 1)

    def test_an_amount_above_the_ceilings_is_told_in_two_sentences(self):
        self.page.take("10000.01")
        self.page.panel("failed")
        told = self.page.script(
            "return [...document.querySelectorAll('.moment h2, .moment p')]"
            ".map((it) => it.innerText)")
        self.assertEqual(told, [
            "Payment failed", "A payment of $10,000.01 is over this machine's limit of $10,000.00.",
            "Check the amount."])

    def test_an_amount_that_was_not_confirmed_stays_to_be_changed(self):
        self.page.take("5000.00")
        self.page.see("Charge $5,000.00?", "A payment of $5,000.00 is over $100.00",
                      "Nothing was charged.")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('dialog')")
        self.page.see("$5,000.00")
        self.page.take("5.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-5.00"])

    def test_what_was_resolved_besides_is_told_with_a_refusal(self):
        self.refuse("insufficient-balance", resolved=[EARLIER, VOIDED])
        self.page.take("$10.00")
        self.page.panel("failed")
        self.page.see("The earlier $4.50 payment went through.",
                      "The earlier $4.50 payment did not go through.")

    def card(self, *resolved, **members):
        read = {**self.till.read(), "resolved": resolved, **members}
        self.page.script(
            "stream.dispatchEvent(new MessageEvent('card', { data: arguments[0] }))",
            json.dumps({"session": 99, "problem": None, "read": read}))

    def test_a_card_that_has_ended_is_not_called_blocked(self):
        for word, told in (("closed", "This card is closed."),
                           ("replaced",
                            "This card was replaced. Use the new card; the balance was moved to it.")):
            with self.subTest(word):
                self.page.go("cards")
                self.card(ledger="blocked")
                self.page.see("This card is blocked", "Unblock")
                self.card(ledger=word)
                self.page.see(told)
                self.page.see_no("Unblock")
                self.assertNotIn("blocked", self.page.text())
                self.page.type("Card number", "04")
                self.page.see("Unblock")
                self.page.type("Card number", " ")
                self.page.go("home")
                self.page.see("This card or tag cannot be charged or topped up.")
                self.page.take("1.00")
                self.assertEqual(self.page.count(".moment"), 0)

    def test_what_the_watcher_has_resolved_is_told(self):
        self.card(VOIDED)
        self.page.see("The earlier $4.50 payment did not go through.")

    def test_what_the_watcher_has_closed_is_handed_out(self):
        self.card(CLOSED)
        self.page.see("Give the customer $9.00", "The earlier $9.00 payout went through.")
        self.page.press("Close")
        self.page.wait("!document.querySelector('dialog')")
