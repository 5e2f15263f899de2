"""Sales that are paid without a card: in cash, at a card terminal, or in another way."""

import uuid

from selenium.webdriver.common.keys import Keys

from test_lost_answers import BEHIND, INSTEAD
from test_selling import COFFEE, SellingCase

CUP = ["Cup", "--price", "2", "--group", "Deposits"]
MUG = ["Tea", "--price", "3", "--group", "Drinks", "--deposit", "Cup"]


class TenderTests(SellingCase):
    def sold(self):
        """What was sold, by way of payment."""
        report = self.till.call("GET", "reports/days")["sum"]
        return {each: report[f"rest{each}"] for each in ("Cash", "Terminal", "Other")}

    def test_cash_shows_the_change_and_needs_no_reader(self):
        self.show(COFFEE)
        self.page.press("Coffee")
        self.page.press("Cash")
        self.page.see("Collect $3.50 in cash", "Enter the cash received to see the change")
        self.page.keys("200")
        self.page.see("$1.50 still due")
        self.page.keys(Keys.ENTER)
        self.page.see("$1.50 still due")
        self.assertEqual(self.sold()["Cash"], "0.00")
        self.page.keys(Keys.BACKSPACE * 3)
        self.page.keys("1000")
        self.page.see("Change: $6.50")
        self.page.press("Received")
        self.page.panel("done")
        self.page.see("Paid", "Cash", "Change: $6.50")
        self.assertEqual(self.sold(), {"Cash": "3.50", "Terminal": "0.00", "Other": "0.00"})
        # The change stays in sight while the next customer's sale begins.
        self.page.keys("4")
        self.due("$0.04")
        self.page.see("Change: $6.50", "Undo")
        self.page.press("Undo")
        self.page.see("Sale undone", "Give the customer $3.50")
        self.assertEqual(self.sold()["Cash"], "0.00")
        self.assertAudited()

    def test_a_card_that_comes_meanwhile_pays_nothing(self):
        self.page.keys("350")
        self.page.press("Cash")
        self.page.see("Collect $3.50 in cash")
        self.till.put(self.uid)
        self.till.wait("the card is read", self.till.read)
        self.page.press("Received")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), [])
        self.assertEqual(self.sold()["Cash"], "3.50")

    def test_the_terminal_and_other_ways_are_recorded_apart(self):
        for way, name, words in (("Terminal", "Terminal", "on the card terminal"),
                                 ("Other", "Other", "Collect $3.50")):
            with self.subTest(way):
                self.page.keys("350")
                self.page.press(name)
                self.page.see(words)
                self.page.keys(Keys.ENTER)
                self.page.panel("done")
                self.page.see("Paid", name)
                self.assertEqual(self.sold()[way], "3.50")

    def test_a_change_of_the_sale_ends_the_payment(self):
        self.show(COFFEE)
        self.page.keys("350")
        self.page.press("Terminal")
        self.page.see("on the card terminal")
        self.page.press("Coffee")
        self.page.wait("!document.querySelector('.collecting')")
        self.due("$7.00")
        self.page.press("Cash")
        self.page.keys("5")
        self.due("$7.00")
        self.page.keys(Keys.ESCAPE)
        self.page.wait("!document.querySelector('.collecting')")
        self.due("$7.00")
        self.assertEqual(self.sold()["Cash"], "0.00")

    def test_returned_deposits_are_paid_out_in_cash(self):
        self.show(CUP, MUG)
        self.returned()
        self.page.press("Cash")
        self.page.see("Pay out $2.00 in cash")
        self.page.press("Paid out")
        self.page.panel("done")
        self.page.see("Credited", "Pay out $2.00 in cash")
        self.assertEqual(self.sold()["Cash"], "-2.00")

    def test_a_key_ends_the_payment_at_the_terminal_and_nothing_smaller_is_booked(self):
        self.page.keys("350")
        self.page.press("Terminal")
        self.page.see("on the card terminal")
        self.page.keys(Keys.BACKSPACE)
        self.page.wait("!document.querySelector('.collecting')")
        self.due("$3.50")
        self.assertEqual(self.sold()["Terminal"], "0.00")

    def test_the_customer_of_an_armed_sale_may_pay_in_cash_instead(self):
        self.arm()
        self.page.press("Cash")
        self.page.see("Collect $3.50 in cash")
        self.disarmed()
        self.page.press("Received")
        self.page.panel("done")
        self.assertUncharged()
        self.assertEqual(self.sold()["Cash"], "3.50")

    def test_a_stray_digit_adds_nothing_to_what_is_paid_out(self):
        self.show(CUP, MUG)
        self.returned()
        self.page.press("Cash")
        self.page.keys("500")
        self.page.press("Paid out")
        self.page.panel("done")
        self.page.see("Pay out $2.00 in cash")
        self.assertNotIn("Change", self.page.text())

    def test_a_repeated_sale_is_answered_although_the_product_is_sold_out_now(self):
        self.show(COFFEE)
        coffee, = self.till.call("GET", "products")["products"]
        body = {"lines": [{"product": coffee["id"], "name": "Coffee", "price": "3.50",
                           "quantity": 1}], "tender": "cash", "operation": str(uuid.uuid4())}
        first = self.till.call("POST", "sell", body)
        self.till.run("products", "change", "Coffee", "--sold-out", "yes")
        self.till.server.kill()
        self.till.start()
        again = self.till.call("POST", "sell", body)
        self.assertEqual((first["replayed"], again["replayed"]), (False, True))
        self.assertEqual(self.sold()["Cash"], "3.50")
        self.page.see("Reader ready")

    def test_an_undone_terminal_top_up_is_not_paid_out_in_cash(self):
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.page.press("Top-up")
        self.page.press("Terminal")
        self.page.press("$20.00")
        self.page.press("Top up")
        self.page.panel("done")
        self.page.press("Undo and give back $20.00")
        self.page.see("Top-up undone", "Refund $20.00 at the card terminal.")
        self.assertNotIn("Give the customer", self.page.text())

    def test_a_lost_answer_is_asked_for_and_nothing_is_booked_twice(self):
        self.page.keys("350")
        self.page.press("Cash")
        self.page.see("Collect $3.50 in cash")
        self.page.script(BEHIND, "/sell", 0, None)
        self.page.press("Received")
        self.page.panel("done")
        self.page.see("Paid", "Cash")
        self.assertEqual(self.sold()["Cash"], "3.50")
        self.assertAudited()

    def test_what_the_server_never_got_is_said_to_be_undone_and_can_be_sent_again(self):
        self.page.keys("350")
        self.page.press("Cash")
        self.page.script(INSTEAD, "/sell", 0, None)
        self.page.press("Received")
        self.page.panel("failed")
        self.page.see("The server has no record of this; nothing was done.")
        self.page.press("Try again")
        self.page.panel("done")
        self.assertEqual(self.sold()["Cash"], "3.50")


class RoundedCashTests(SellingCase):
    settings = {"TAPCARD_CURRENCY": "CHF"}

    def test_cash_is_rounded_and_the_page_says_so_before(self):
        self.page.keys("352")
        self.page.press("Cash")
        self.page.see("3.50 in cash", "Rounded from")
        self.page.keys("500")
        self.page.see("Change:", "1.50")
        self.page.press("Received")
        self.page.panel("done")
        self.page.see("Rounded for cash.", "1.50")
        self.assertEqual(self.till.call("GET", "reports/days")["sum"]["drawer"], "173.50")
