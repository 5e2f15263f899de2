"""What was typed, requested or pressed for one customer never affects the next one."""

import json

from selenium.webdriver.common.keys import Keys

from browser import WIDE
from case import BrowserCase
from test_double_taps import HOWS
from test_lost_answers import INSTEAD

SIZES = {"narrow": (390, 844), "tablet": (768, 1024), "wide": (1440, 900)}
TIME_OUT = json.dumps({
    "status": 504, "error": "no-card", "result": "no-card", "title": "No card was tapped in time.",
    "meaning": "Nothing was changed, and no money moved.", "next": [{"step": "hold"}]})
REFUSAL = json.dumps({
    "status": 409, "error": "insufficient-balance", "result": "refused",
    "title": "The balance is too low: $1.00 available, $5.00 needed.", "next": [{"step": "top-up"}]})
NOT_BEGUN = json.dumps({
    "status": 409, "error": "not-begun", "result": "refused",
    "title": "The request was lost before it started.", "next": [{"step": "use-new-id"}]})
# The page's time when its card last changed.
CHANGED = """
window.changed = 0;
import("/store.js").then(({ onChange, state }) => {
  let visit = state.visit;
  onChange(() => {
    if (state.visit === visit) return;
    visit = state.visit;
    window.changed = performance.now();
  });
});
"""


class NextCustomerCase(BrowserCase):
    def setUp(self):
        super().setUp()
        self.till.put("NTAG213")
        self.other = self.till.make_card(name="Eva Novak", balance="90.00")
        self.till.put("NTAG213")
        self.uid = self.till.make_card(name="Ann Smith", balance="80.00")

    def open(self, view, size=WIDE):
        self.page.look(size)
        self.till.put(self.uid)
        self.page.open(view)
        self.page.see("Ann Smith")

    def swap(self):
        """Puts the next customer's card on the reader."""
        self.till.put(self.other)
        self.page.see("Eva Novak")

    def cards(self):
        """The balances of both cards."""
        for uid, name in ((self.uid, "Ann Smith"), (self.other, "Eva Novak")):
            self.till.put(uid)
            self.page.open()
            self.page.see(name)
            yield self.till.read()

    def value(self, label):
        return self.page.script("return arguments[0].value", self.page.field(label))

    def due(self):
        """The amount at the till; none while "Paid" is in its place."""
        return self.page.script("return document.querySelector('#due')?.textContent ?? null")

    def amounts(self, verb):
        return [each.lstrip("-") for each in self.till.done(verb)]


class LeftoverTests(NextCustomerCase):
    def test_what_was_typed_for_a_top_up_is_gone_with_its_view(self):
        for size in SIZES.values():
            with self.subTest(size=size):
                self.open("add", size)
                self.page.keys("500")
                self.page.see("$5.00")
                self.page.press("Till")
                self.swap()
                self.assertEqual(self.due(), "$0.00")
                self.page.go("add")
                self.page.see("Top-up amount")
                self.assertEqual(self.due(), "$0.00")

    def test_it_is_there_when_a_card_comes_for_it(self):
        self.open("home")
        self.till.take()
        self.page.see("Tap a card")
        self.page.keys("350")
        self.swap()
        self.assertEqual(self.due(), "$3.50")
        self.page.press("Charge")
        self.page.panel("done")
        self.assertEqual(self.due(), None)
        self.assertEqual(self.amounts("pay"), ["3.50"])

    def test_after_a_refusal_the_sale_is_there_for_another_card(self):
        self.open("home")
        self.page.script(INSTEAD, "/pay", 409, REFUSAL)
        self.page.take("$5.00")
        self.page.panel("failed")
        self.page.see("Payment failed")
        self.page.press("Back")
        self.assertEqual(self.due(), "$5.00")
        self.swap()
        self.page.press("Charge")
        self.page.panel("done")
        self.page.see("Eva Novak")
        self.assertEqual(self.amounts("pay"), ["5.00"])

    def test_it_is_gone_after_cancel(self):
        self.open("home")
        self.till.take()
        self.page.see("Tap a card")
        for leave in (lambda: self.page.press("Cancel"), lambda: self.page.keys(Keys.ESCAPE)):
            self.page.take("$5.00")
            self.page.panel("waiting")
            leave()
            self.page.wait("!document.querySelector('.moment')")
            self.assertEqual(self.due(), "$0.00")
        self.assertEqual(self.till.done("pay"), [])

    def test_a_question_about_another_card_charges_the_one_that_was_asked_about(self):
        self.open("home")
        self.page.take("$79.00")
        self.page.panel("done")
        self.page.see("Already paid")
        self.page.type_amount("1.00")
        self.page.script("""
          import("/store.js").then(({ change }) => change({ served: {} }));
        """)
        self.page.press("Charge")
        self.page.see("Charge $1.00 again?")
        self.swap()
        self.page.press("Yes, do it again")
        self.page.see("That is a different card.")
        self.assertEqual(self.amounts("pay"), ["79.00"])


class OtherInputTests(NextCustomerCase):
    def test_what_was_typed_elsewhere_ends_with_its_view(self):
        for view, label in (
                ("issue", "Customer name (optional)"), ("issue", "Customer number (optional)"),
                ("issue", "Starting balance (cash received)"), ("cards", "Card number"),
                ("cards", "Balance to carry over")):
            with self.subTest(label):
                self.open(view)
                self.page.type(label, "5")
                self.page.press("Till")
                self.page.go(view)
                self.assertEqual(self.value(label), "")

    def test_ticks_of_one_card_are_not_those_of_the_next(self):
        self.till.put("NTAG213")
        self.page.open("issue")
        self.page.see("Blank tag")
        self.page.field("No scratch code").click()
        self.page.type("Customer name (optional)", "Eva")
        self.page.press("Issue card")
        self.page.panel("done")
        self.page.leave_check()
        self.assertFalse(self.page.script(
            "return arguments[0].checked", self.page.field("No scratch code")))
        self.assertEqual(self.value("Customer name (optional)"), "")

    def test_a_card_number_ends_with_what_was_done_to_it(self):
        self.open("cards")
        self.page.type("Card number", self.other)
        self.page.press("Block")
        self.page.press("Block")
        self.page.panel("done")
        self.page.leave_check()
        self.assertEqual(self.value("Card number"), "")

    def test_enter_in_a_field_issues_no_card(self):
        self.till.put("NTAG213")
        self.page.open("issue")
        self.page.see("Blank tag")
        self.page.script("arguments[0].focus()", self.page.field("Customer name (optional)"))
        for following in ("issue-id", "issue-balance", "issue-noScratch", "issue-protect"):
            self.page.keys("7" if "-" in following[6:] else "", Keys.ENTER)
            self.assertEqual(self.page.script("return document.activeElement.id"), following)
        self.page.keys(Keys.ENTER)
        self.assertEqual(self.page.focused(), "Issue card")
        self.assertEqual((self.page.count(".panel"), self.page.count(".wrong")), (0, 0))
        self.page.come_to_rest(self.page.find("Issue card"))
        self.page.keys(Keys.ENTER)
        self.page.panel("done")

    def test_what_was_typed_is_there_after_a_question_was_declined(self):
        self.open("issue")
        self.page.type("Customer name (optional)", "Eva")
        self.page.type("Starting balance (cash received)", "7")
        self.page.press("Issue card")
        self.page.see("This card is in use")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('dialog')")
        self.assertEqual(
            [self.value("Customer name (optional)"),
             self.value("Starting balance (cash received)")],
            ["Eva", "7"])

    def test_a_question_about_the_card_on_the_reader_ends_with_it(self):
        for view, presses in (("cards", ["Block"]), ("cards", ["Pay out and close"]),
                              ("issue", ["Issue card"])):
            with self.subTest(presses[0]):
                self.open(view)
                for each in presses:
                    self.page.press(each)
                self.page.wait("document.querySelector('dialog[open]')")
                self.swap()
                self.page.wait("!document.querySelector('dialog')")
                self.page.see("Removed from the reader. Nothing was changed.")
        self.assertEqual([each["ledger"] for each in self.cards()], ["known"] * 2)

    def test_what_was_said_of_a_card_goes_with_it(self):
        self.open("home")
        self.page.wait("document.querySelector('#polite').textContent.includes('$80.00')")
        self.till.take()
        self.page.see("Tap a card")
        self.page.wait("!document.querySelector('#polite').textContent.includes('$80.00')")


class AddingTests(NextCustomerCase):
    def test_after_a_top_up_the_page_is_at_the_till(self):
        for size in SIZES.values():
            with self.subTest(size=size):
                self.open("add", size)
                self.page.take("$5.00")
                self.page.panel("done")
                self.page.see("Topped up")
                self.page.leave_check()
                self.page.wait("document.querySelector('.in-home')")
                self.assertTrue(self.page.driver.current_url.endswith("#/home"))
                # A card is topped up once per visit, and the page has to see this card being removed.
                self.till.take()
                self.page.see("Tap a card")
        self.assertEqual(self.till.done("add"), ["5.00"] * 3)

    def test_it_is_there_as_well_after_cancel_and_when_no_card_came(self):
        self.open("add")
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$5.00")
        self.page.panel("waiting")
        self.page.press("Cancel")
        self.page.wait("document.querySelector('.in-home')")
        self.page.go("add")
        self.page.script(INSTEAD, "/add", 504, TIME_OUT)
        self.page.take("$5.00")
        self.page.panel("failed")
        self.page.press("Back")
        self.page.wait("document.querySelector('.in-home')")

    def test_it_is_there_after_every_other_end(self):
        self.open("add")
        self.page.script(INSTEAD, "/add", 409, REFUSAL)
        self.page.take("$5.00")
        self.page.panel("failed")
        self.till.put(self.other)
        self.page.press("Back")
        self.page.wait("document.querySelector('.in-home')")
        self.page.see("Eva Novak")
        self.open("add")
        self.till.tear("4 pulled-after")
        self.page.take("$5.00")
        self.page.panel("unknown")
        self.page.press("Check later")
        self.page.wait("document.querySelector('.in-home')")
        self.swap()

    def test_another_card_is_not_added_to_by_what_was_begun_for_the_last(self):
        self.open("add")
        self.swap()
        self.page.wait("document.querySelector('.in-home')")

    def test_the_same_card_and_the_first_one_find_the_amounts(self):
        self.open("add")
        self.till.take()
        self.page.see("Tap a card")
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.page.go("home")
        self.till.take()
        self.page.see("Tap a card")
        self.page.go("add")
        self.swap()
        self.assertEqual(self.page.count(".in-add .keypad"), 1)

    def test_it_has_another_color(self):
        for scheme in ("light", "dark"):
            self.page.look(WIDE, scheme)
            colors = []
            for view in ("home", "add"):
                self.open(view)
                colors.append(self.page.script("""
                  const button = document.querySelector("#charge");
                  return [button.innerText, getComputedStyle(button).backgroundColor];
                """))
            for one, other in zip(*colors):
                self.assertNotEqual(one, other, scheme)


class ChangeTests(NextCustomerCase):
    """A press that was meant for the previous card."""

    def centre(self, selector):
        left, top, right, bottom = self.page.box(selector)
        return (left + right) / 2, (top + bottom) / 2

    def changed(self):
        return self.page.wait("window.changed")

    def test_a_press_behind_a_change_of_the_card_charges_nobody(self):
        for name, size in SIZES.items():
            for how in HOWS:
                for late in (20, 400):
                    with self.subTest(size=name, how=how, late=late):
                        self.open("home", size)
                        self.page.type_amount("1.00")
                        self.page.come_to_rest(self.page.find("Charge"))
                        self.page.script(CHANGED)
                        self.swap()
                        self.page.tap(*self.centre("#charge"), self.changed() + late, how)
                        self.assertEqual(self.page.count(".panel, .moment"), 0)
        self.assertEqual(self.till.done("pay"), [])

    def test_neither_does_enter(self):
        self.open("home")
        self.page.type_amount("1.00")
        self.page.come_to_rest(self.page.find("Charge"))
        # The browser stamps such a press with the time at which it happened.
        self.page.script("""
          import("/store.js").then(({ onChange, state }) => {
            const before = state.visit;
            onChange(() => {
              if (state.visit === before || !state.card || window.pressed) return;
              window.pressed = true;
              document.body.dispatchEvent(
                new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
            });
          });
        """)
        self.swap()
        self.page.wait("window.pressed")
        self.page.see("Eva Novak")
        self.assertEqual(self.page.count(".panel, .moment"), 0)
        self.assertEqual(self.till.done("pay"), [])

    def test_it_charges_once_the_card_was_there_for_a_moment(self):
        for how in HOWS:
            with self.subTest(how=how):
                self.open("home")
                self.page.type_amount("1.00")
                self.page.script(CHANGED)
                self.swap()
                self.page.tap(*self.centre("#charge"), self.changed() + 700, how)
                self.page.panel("done")
                self.page.see("Paid", "Eva Novak")
        self.assertEqual(self.till.done("pay"), ["-1.00"] * 2)

    def test_the_field_of_another_card_is_not_rubbed(self):
        self.open("scratch")
        self.page.come_to_rest(self.page.find("Reveal code"))
        self.page.script(CHANGED)
        # A finger is scratching while the card changes.
        self.page.script("""
          import("/store.js").then(({ onChange, state }) => {
            const before = state.visit;
            onChange(() => {
              if (state.visit === before || !state.card || window.rubbed) return;
              window.rubbed = true;
              const canvas = document.querySelector("canvas");
              for (const offsetX of [10, 90]) {
                canvas.onpointermove({ buttons: 1, offsetX, offsetY: 20 });
              }
            });
          });
        """)
        self.swap()
        self.page.wait("window.rubbed")
        self.page.tap(*self.centre(".rub .row button"), self.changed() + 100)
        self.page.see("Rub to reveal the code")
        self.assertEqual(self.page.script("return document.querySelector('.progress').innerText"), "")
        self.assertEqual([each["state"] for each in self.cards()], ["unscratched"] * 2)


class TimeOutTests(NextCustomerCase):
    def test_what_was_lost_before_it_was_begun_can_be_asked_for_again(self):
        self.open("home")
        self.page.script(INSTEAD, "/pay", 409, NOT_BEGUN)
        self.page.take("$2.50")
        self.page.panel("failed")
        self.page.see("Payment failed", "The server has no record of this; nothing was done.")
        self.page.press("Try again")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_another_tag_in_the_place_of_a_card_disarms(self):
        self.open("home")
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.put("NTAG213")
        self.page.see("This tag is blank.")
        self.page.wait("!document.querySelector('.moment')")
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.assertEqual(self.till.done("pay"), [])
        self.page.press("Charge")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])
