"""Undoing an operation right where it was done, and what the screen then says."""

from selenium.webdriver.common.keys import Keys

from case import BrowserCase

# Waits until the page knows that a blank tag is there.
BLANK = """
const [done] = arguments;
import("/store.js").then(({ onChange, state }) => {
  const look = () => { if (state.card?.problem?.error === "blank-tag") done(); };
  onChange(look);
  look();
});
"""


class UndoTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.till.make_demo("20.00")

    def do(self, view, amount):
        self.page.open(view)
        self.page.see("Amanda Gonzalez")
        self.page.take(amount)
        self.page.panel("done")

    def test_an_undone_payment_counts_for_nothing(self):
        self.do("home", "$2.50")
        self.page.keys(Keys.ESCAPE)
        self.page.press("Undo")
        self.page.see("Refunded", "Balance $20.00")
        self.page.leave_check()
        self.page.see("Amount due")
        self.assertNotIn("Already paid", self.page.text())
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50", "-1.00"])

    def test_a_payment_is_undone_only_on_its_card(self):
        self.do("home", "$2.50")
        self.till.put("NTAG213")
        self.till.make_card(name="Eva Novak", balance="5.00")
        self.page.keys(Keys.ESCAPE)
        self.page.press("Undo")
        self.page.panel("failed")
        self.page.see("Refund failed")
        self.assertEqual(self.till.done("refund"), [])

    def test_an_undone_addition_names_its_cash_and_is_no_refund(self):
        self.do("add", "$50.00")
        self.page.press("Undo and give back $50.00")
        self.page.see("Undo top-up, $50.00", "Top-up undone", "Give the customer $50.00")
        self.assertNotIn("Refund", self.page.text())
        self.page.leave_check()
        self.page.wait("document.querySelector('.in-home')")
        self.page.go("add")
        self.page.see("Top-up amount")
        self.assertNotIn("Already topped up", self.page.text())
        self.assertEqual(self.till.done("reverse"), ["-50.00"])

    def test_nothing_is_undone_on_another_tag(self):
        self.do("add", "$5.00")
        self.page.see("Undo")
        self.till.put("NTAG213")
        self.page.driver.execute_async_script(BLANK)
        self.page.see_no("Undo and give back")

    def test_what_is_gone_from_the_card_cannot_be_undone(self):
        self.do("add", "$50.00")
        self.till.call("POST", "pay", {"amount": "66.50", "confirmed": True})
        self.page.see("Balance $3.50")
        self.page.listen()
        self.page.press("Undo and give back $50.00")
        self.page.panel("failed")
        self.page.see("Undo failed", "Part of this top-up was spent: only $3.50 is left.")
        self.page.hear("Undo failed. Part of this top-up was spent: only $3.50 is left.")
        self.assertNotIn("Top up", self.page.text())
