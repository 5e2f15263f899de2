"""A card whose tag can no longer be written to: the page says where the money is and does not
retry."""

import json

import readings
from test_faults import CALLS
from test_readings import IN_THE_WAY, MOVE, NOTHING, ReadingCase

# What is said about the card while an operation on it is open, and otherwise.
UNWRITABLE = f"This card can no longer be written to; an operation is unfinished.|{NOTHING}"
# The server's report on the requested operation, which is called OWN here.
TOLD = """
const [place, text] = arguments;
const send = window.fetch;
window.fetch = (path, options) => {
  if (!String(path).endsWith(place)) return send(path, options);
  window.fetch = send;
  window.calls.push([options.method, path, options.body]);
  const told = text.replaceAll("OWN", JSON.parse(options.body).operation);
  return Promise.resolve(new Response(told, { status: JSON.parse(told).status }));
};
"""


class UnusableTests(ReadingCase):
    def setUp(self):
        super().setUp()
        added = self.page.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": CALLS})
        self.addCleanup(self.page.driver.execute_cdp_cmd,
                        "Page.removeScriptToEvaluateOnNewDocument", added)

    def asked(self, place):
        """The number of times that this page requested it."""
        return self.page.script(
            "return calls.filter(([, path]) => path.includes(arguments[0])).length", place)

    def add(self, make):
        uid = make(self.drawer)
        self.till.put_again(uid)
        self.page.open("add")
        self.page.see("Amanda Gonzalez")
        self.page.listen()
        self.page.take("$5.00")
        self.page.hear(f"Recorded, card not updated, $5.00. Don't give the money back. {MOVE}")
        self.page.panel("unknown")
        self.page.see("Recorded, card not updated, $5.00", "Don't give the money back.", MOVE)
        for words in ("Top-up failed", "Outcome unknown", "Tap the same card"):
            self.assertNotIn(words, self.page.text())
        self.assertFalse(self.page.can_press("Check again"))
        self.assertEqual(self.asked("/add"), 1)
        return uid

    def replace_after_adding(self, make):
        uid = self.add(make)
        self.page.press("Check later")
        self.page.see("Needs replacement", MOVE)
        self.page.wait(f"/{UNWRITABLE}/.test(document.body.innerText)")
        self.page.go("cards")
        self.page.see(IN_THE_WAY)
        self.till.put("NTAG424")
        self.page.see("Blank tag")
        self.page.type("Card number", uid)
        self.page.press("Replace")
        self.page.see("Replace?")
        self.page.press("Replace")
        self.page.panel("done")
        self.page.see("Card replaced", "$17.50")
        self.page.leave_check()
        self.assertAudited()

    def test_a_top_up_for_a_card_with_fixed_settings_is_the_ledgers_and_moves_to_another_tag(self):
        self.replace_after_adding(readings.fixed_grant)

    def test_a_top_up_for_a_card_with_a_dead_key_is_the_ledgers_and_moves_to_another_tag(self):
        self.replace_after_adding(readings.dead_load_key)

    def test_a_reload_does_not_try_it_again(self):
        self.add(readings.fixed_grant)
        self.page.driver.refresh()
        self.page.panel("unknown")
        self.page.wait("calls.some(([, path]) => path.includes('/operations/'))")
        self.page.wait("JSON.parse(sessionStorage.getItem('tapcard.tasks'))[0].doubt")
        self.page.see("Recorded, card not updated, $5.00", MOVE)
        self.assertEqual(self.asked("/add"), 0)

    def test_a_payment_that_a_tag_cannot_take_is_not_paid(self):
        readings.unwritable(self.drawer)
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.page.take("$2.50")
        self.page.panel("failed")
        self.page.see("Payment failed", NOTHING, MOVE)
        self.assertEqual(self.asked("/pay"), 1)
        self.assertEqual(self.till.done("pay"), [])
        self.assertEqual(self.till.call("GET", "audit")["open"], 0)

    def told(self, view, amount, panel, **problem):
        readings.card(self.till, "NTAG424")
        self.page.open("home" if view == "pay" else view)
        self.page.see("Amanda Gonzalez")
        self.page.script(TOLD, f"/{view}", json.dumps({
            "status": 409, "resolved": [], "title": "The tag does not have the key that it names.",
            "meaning": "It is worth nothing.", "operation": None, **problem}))
        self.page.take(amount)
        self.page.panel(panel)
        self.assertEqual(self.asked(f"/{view}"), 1)

    def open_still(self, view, amount, **told):
        self.told(view, amount, "failed", error="copied", result="untrusted",
                  next=[{"step": "keep-copy"}], **told)
        self.page.see("Not finished yet", "This is a copy of a card and holds no money.",
                      "History will show the outcome.")

    def test_a_top_up_that_the_ledger_has_open_is_never_said_not_to_be_added(self):
        self.open_still("add", "$5.00", operation="OWN")
        self.assertNotIn("Top-up failed", self.page.text())

    def test_a_payment_that_the_ledger_has_open_is_never_said_not_to_be_paid(self):
        self.open_still("pay", "$2.50", title="It is a copy. Payment OWN is still open.")
        self.assertNotIn("Payment failed", self.page.text())

    def test_a_payment_of_which_a_spoilt_tag_says_nothing_is_not_paid_so_far(self):
        self.told("pay", "$2.50", "unknown", error="outcome-unknown", result="unknown",
                  next=[{"step": "replace", "uid": None}], operation="OWN")
        self.page.see(
            "Outcome unknown, $2.50", "The card has not been charged yet.", MOVE)
        self.assertNotIn("Payment failed", self.page.text())

    def test_a_top_up_of_another_request_is_not_said_to_be_that_one(self):
        self.told("add", "$5.00", "unknown", error="outcome-unknown", result="unknown",
                  next=[{"step": "replace", "uid": None}],
                  operation="0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f")
        self.page.see("Outcome unknown, $5.00", MOVE)
        for words in ("Recorded, card not updated", "Keep the cash"):
            self.assertNotIn(words, self.page.text())
