"""Undoing an operation right where it was done, and what the screen then says."""

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
        self.page.press(amount)
        self.page.panel("done")

    def test_the_balance_of_paid_is_the_one_of_now(self):
        self.do("pay", "$2.50")
        self.page.see("$17.50 left")
        self.till.call("POST", "pay", {"amount": "1.00"})
        self.page.see("$16.50 left")
        self.assertNotIn("$17.50 left", self.page.text())
        self.till.put("NTAG213")
        self.page.see("New balance: $17.50")
        self.assertNotIn("$17.50 left", self.page.text())

    def test_an_undone_payment_counts_for_nothing(self):
        self.do("pay", "$2.50")
        self.page.press("Undo payment")
        self.page.see("Refunded", "Balance $20.00")
        self.page.leave_check()
        self.page.see("Amount due")
        self.assertNotIn("Already paid", self.page.text())
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50", "-1.00"])

    def test_another_payment_of_the_same_card_still_counts(self):
        self.do("pay", "$2.50")
        self.till.call("POST", "pay", {"amount": "1.00"})
        self.page.see("$16.50 left")
        self.page.press("Undo payment")
        self.page.see("Refunded")
        self.page.leave_check()
        self.page.see("Already paid")

    def test_an_undone_addition_names_its_cash_and_is_no_refund(self):
        self.do("add", "$50.00")
        self.page.press("Undo and give back $50.00")
        self.page.see("Undo top-up, $50.00", "Top-up undone", "Give the customer $50.00")
        self.assertNotIn("Refund", self.page.text())
        self.page.leave_check()
        self.page.wait("document.querySelector('.in-home')")
        self.page.go("add")
        self.page.see("Amount due")
        self.assertNotIn("Already topped up", self.page.text())
        self.assertEqual(self.till.done("reverse"), ["-50.00"])

    def test_nothing_is_undone_on_another_tag(self):
        for view, amount in (("pay", "$2.50"), ("add", "$5.00")):
            with self.subTest(view):
                self.do(view, amount)
                uid = self.till.read()["uid"]
                self.page.see("Undo")
                self.till.put("NTAG213")
                self.page.driver.execute_async_script(BLANK)
                self.page.see_no("Undo")
                self.page.driver.execute_script("sessionStorage.clear()")
                self.till.put(uid)

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
