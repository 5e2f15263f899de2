"""Selling: typed amounts, the armed sale, and what never charges a card."""

from selenium.webdriver.common.keys import Keys

from browser import NARROW, TABLET, WIDE
from case import BrowserCase

DUE = "document.querySelector('#due')?.textContent === arguments[0]"
ARMED = "document.querySelector('.moment.waiting')"
SETTING = """
const [settings, done] = arguments;
import("/store.js").then(({ change, state }) => {
  change({ settings: { ...state.settings, ...settings } });
  done();
});
"""
COFFEE = ["Coffee", "--price", "3.50", "--group", "Drinks", "--color", "orange", "--position", "1"]
CAKE = ["Cake", "--price", "4", "--group", "Food", "--color", "yellow", "--position", "2"]
OPEN = ["Catering", "--price", "ask", "--group", "Food", "--position", "3"]
JUICE = ["Juice", "--price", "3.50", "--group", "Drinks", "--position", "4"]


class SellingCase(BrowserCase):
    loses_server = True

    def setUp(self):
        super().setUp()
        self.till.put("NTAG213")
        self.other = self.till.make_card(name="Eva Novak", balance="90.00")
        self.till.put("NTAG213")
        self.uid = self.till.make_card(name="Ann Smith", balance="80.00")
        self.till.take()
        self.page.open()
        self.page.see("Tap a card")

    def due(self, amount):
        self.page.wait(DUE, amount)

    def arm(self, amount="3.50"):
        self.page.type_amount(amount)
        self.page.press("Charge")
        self.armed()

    def armed(self):
        self.page.wait(ARMED)
        self.till.wait("it is armed", lambda: self.till.call("GET", "armed")["armed"])

    def disarmed(self):
        self.page.wait(f"!{ARMED}")
        self.till.wait("it is disarmed", lambda: not self.till.call("GET", "armed")["armed"])

    def assertUncharged(self, uid=None):
        """A card that comes now is read, and pays nothing."""
        self.till.put(uid or self.uid)
        self.till.wait("the card is read", self.till.read)
        self.assertEqual(self.till.done("pay"), [])
        self.till.take()
        self.page.see("Tap a card")

    def returned(self):
        """Brings a cup back: the second tile of that name."""
        self.page.script("[...document.querySelectorAll('.product')]"
                         ".filter((tile) => tile.innerText.startsWith('Cup')).at(-1).click()")

    def show(self, *products):
        for words in products:
            self.till.run("products", "add", *words)
        self.page.open()
        self.page.see(*(words[0] for words in products))


class TypingTests(SellingCase):
    def test_digits_are_cents_and_a_separator_makes_them_decimal(self):
        for keys, amount in (
                ("350", "$3.50"), ("3.50", "$3.50"), ("3,50", "$3.50"), (".5", "$0.50"),
                ("5", "$0.05"), ("0", "$0.00"), ("3.", "$3.00"), ("3.505", "$3.50"),
                ("0350", "$3.50"), ("1234567", "$12,345.67"), ("3.5.0", "$3.50"), ("abc", "$0.00")):
            with self.subTest(keys):
                self.page.keys(keys)
                self.due(amount)
                self.page.keys(Keys.ESCAPE)
                self.due("$0.00")
        self.page.keys("350", Keys.BACKSPACE)
        self.due("$0.35")

    def test_ten_customers_cost_forty_keys(self):
        keys = 0
        for number in range(10):
            self.page.keys("3", "5", "0", Keys.ENTER)
            keys += 4
            self.armed()
            self.till.put(self.uid)
            self.page.panel("done")
            self.page.see("Paid", "Ann Smith", f"${80 - 3.5 * (number + 1):.2f} left")
            self.till.take()
        self.assertLessEqual(keys, 40)
        self.assertEqual(self.till.done("pay"), ["-3.50"] * 10)
        self.assertAudited()

    def test_paid_gives_way_to_the_next_key_and_can_be_undone(self):
        self.arm()
        self.till.put(self.uid)
        self.page.panel("done")
        self.page.keys("4")
        self.due("$0.04")
        self.page.see("Undo", "Ann Smith", "$3.50")
        self.page.press("Undo")
        self.page.see("Refunded")
        self.assertEqual(self.till.done("refund"), ["3.50"])
        self.assertAudited()

    def test_a_number_goes_away_after_a_minute_and_lines_stay(self):
        self.page.script("""
          const later = window.setTimeout;
          window.setTimeout = (act, pause, ...rest) => later(act, pause === 60000 ? 50 : pause, ...rest);
        """)
        self.page.keys("350")
        self.due("$0.00")
        self.page.keys("3", "5", "0", "+")
        self.page.see("Other amount")
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.till.put(self.other)
        self.page.see("Eva Novak")
        self.due("$3.50")


class ArmedTests(SellingCase):
    def test_a_card_that_comes_before_charge_is_pressed_pays_nothing(self):
        for size in (WIDE, TABLET, NARROW):
            with self.subTest(size=size):
                self.page.look(size)
                self.page.keys(Keys.ESCAPE)
                for key in "350":
                    self.page.keys(key)
                    self.assertUncharged()
                self.due("$3.50")

    def test_a_change_disarms(self):
        changes = {
            "digit": lambda: self.page.keys("1"), "erase": lambda: self.page.keys(Keys.BACKSPACE),
            "line": lambda: self.page.keys("+"), "escape": lambda: self.page.keys(Keys.ESCAPE),
            "cancel": lambda: self.page.press("Cancel"),
            "reload": self.page.driver.refresh, "leave": lambda: self.page.go("history"),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.page.open()
                self.arm()
                change()
                self.disarmed()
                self.assertUnchargedQuietly()

    def assertUnchargedQuietly(self):
        self.till.put(self.uid)
        self.till.wait("the card is read", self.till.read)
        self.assertEqual(self.till.done("pay"), [])
        self.till.take()

    def test_another_page_takes_the_sale_over(self):
        self.arm()
        first = self.page.driver.current_window_handle
        self.open_tab()
        self.page.open()
        self.page.see("Reader ready")
        self.arm("1.00")
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"])
        self.turn_to(first)
        self.page.see("Another page is charging")

    def test_a_card_that_lies_there_is_charged_only_by_a_press_that_rests(self):
        self.page.keys("350")
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        # Within 600 ms of its arrival, the press is ignored, by key and by hand.
        charge = self.page.find("Charge")
        self.page.script("document.documentElement.dispatchEvent(new Event('x'));"
                         "arguments[0].click()", charge)
        self.page.come_to_rest(charge)
        self.page.keys(Keys.ENTER)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-3.50"])
        self.page.see("Already paid", "Charge again")

    def test_a_flicker_disarms(self):
        self.page.keys("100")
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.page.press("Charge")
        self.page.panel("done")
        self.arm("2.00")
        self.till.take()
        # Not absent for long enough.
        self.till.emptied = 0
        self.till.put(self.uid)
        self.page.see("Check whose card is on the reader")
        self.disarmed()
        self.assertEqual(self.till.done("pay"), ["-1.00"])

    def test_after_a_refusal_the_next_card_is_named(self):
        self.arm("85.00")
        self.till.put(self.uid)
        self.page.panel("failed")
        self.page.see("Payment failed")
        self.page.press("Back")
        self.due("$85.00")
        self.till.take()
        self.page.see("Tap a card")
        self.page.press("Charge")
        self.page.see("Put the card on the reader, then try again.")
        self.assertUncharged(self.other)
        self.till.put(self.other)
        self.page.see("Eva Novak")
        self.page.press("Charge")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-85.00"])

    def test_a_large_amount_is_charged_only_to_a_named_card(self):
        self.page.type_amount("150.00")
        self.page.press("Charge")
        self.page.see("This sale has to be confirmed. "
                      "Put the card on the reader, then press Charge.")
        self.disarmed()
        self.assertUncharged()

    def test_two_cards_pay_nothing_and_the_next_one_is_named(self):
        self.arm()
        self.till.put(self.uid, self.other)
        self.disarmed()
        self.till.take()
        self.page.press("Charge")
        self.page.see("Put the card on the reader, check the name, then press Charge.")
        self.assertUncharged()

    def test_leaving_the_page_and_coming_back_disarms(self):
        self.arm()
        self.page.driver.get("about:blank")
        self.page.driver.back()
        self.page.see("The server has no record of this; nothing was done.")
        self.page.press("Back")
        self.disarmed()
        self.assertUncharged()

    def test_a_lost_server_disarms(self):
        self.arm()
        self.till.server.kill()
        self.page.see("Reconnecting")
        self.till.start()
        self.page.see("Reader ready", "The server has no record of this; nothing was done.")
        self.page.press("Back")
        self.assertUncharged()


class ParkedTests(SellingCase):
    def tear(self):
        self.till.tear("2 torn mix 7")
        self.arm()
        self.till.put(self.uid)
        self.page.panel("unknown")
        self.page.see("Outcome unknown, $3.50")

    def test_the_next_customer_pays_at_once_and_no_stranger_pays_the_parked_sale(self):
        self.tear()
        self.page.keys("200")
        self.page.see("$3.50, outcome unknown")
        self.due("$2.00")
        self.till.take()
        self.page.press("Charge")
        self.armed()
        self.till.put(self.other)
        self.page.panel("done")
        self.page.see("Eva Novak", "$88.00 left")
        self.assertEqual(self.till.done("pay"), ["-2.00"])
        self.till.take()
        self.till.put(self.uid)
        self.page.see("did not go through")
        self.page.press("Put back in the cart")
        self.due("$3.50")
        self.assertEqual(self.till.done("pay"), ["-2.00"])
        self.assertAudited()

    def test_a_reload_keeps_it_and_checking_again_finishes_it(self):
        self.tear()
        self.page.press("Next customer")
        self.page.see("$3.50, outcome unknown")
        self.page.driver.refresh()
        self.page.see("$3.50, outcome unknown")
        self.page.press("Check again")
        self.page.see("Tap the same card again to finish.")
        self.till.put(self.uid)
        self.page.see("Paid")
        self.assertEqual(self.till.done("pay"), ["-3.50"])


class CartTests(SellingCase):
    def test_products_quantities_and_the_sum(self):
        self.show(COFFEE, CAKE, OPEN, JUICE)
        self.till.run("products", "change", "Juice", "--sold-out", "yes")
        self.page.open()
        self.page.see("Drinks", "Food", "Sold out", "Enter price")
        self.page.press("Coffee")
        self.page.press("Coffee")
        self.page.press("Cake")
        self.due("$11.00")
        self.page.press("Remove one Coffee")
        self.due("$7.50")
        self.page.press("Catering")
        self.page.see("Enter the price of Catering.")
        self.page.keys("1000")
        self.page.press("Add to cart")
        self.due("$17.50")
        self.assertFalse(self.page.can_press("Juice"))
        self.page.press("Charge")
        self.armed()
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-17.50"])
        self.page.wait("!document.querySelector('.cart')")

    def test_a_product_asks_for_its_price_before_or_after_it_is_typed(self):
        self.show(COFFEE, OPEN)
        self.page.press("Catering")
        self.page.see("Enter the price of Catering.")
        # The question ends with Delete, with Clear, and with another product.
        for press in ("Delete", "Clear", "Coffee"):
            self.page.press(press)
            self.page.wait("!document.querySelector('main').textContent.includes('Type the')")
            if press != "Coffee":
                self.page.press("Catering")
                self.page.see("Enter the price of Catering.")
        self.page.keys("200")
        self.page.press("Catering")
        self.due("$5.50")
        self.page.press("Clear")
        # Charge adds the product at the typed price, and the ledger keeps its name.
        self.page.press("Catering")
        self.page.keys("250")
        self.page.press("Charge")
        self.armed()
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        lines = self.till.history()[-1]["lines"]
        self.assertEqual([line["name"] for line in lines], ["Catering"])
        # So does a sale in cash.
        self.till.take()
        self.page.press("Catering")
        self.page.keys("300")
        self.page.press("Cash")
        self.page.see("$3.00")
        self.page.press("Received")
        self.page.panel("done")
        self.page.see("Paid", "Cash")

    def test_a_product_without_a_price_is_neither_forgotten_nor_given_away(self):
        cup = ["Cup", "--price", "2"]
        soup = ["Soup", "--price", "ask", "--group", "Food", "--deposit", "Cup"]
        wine = ["Wine", "--price", "ask", "--group", "Drinks", "--minimum-age", "18"]
        self.show(cup, COFFEE, soup, wine, OPEN)
        self.page.driver.execute_async_script(SETTING, {"express": True})
        self.page.script("""
          const later = window.setTimeout;
          window.setTimeout = (act, pause, ...rest) =>
            later(act, pause === 1000 ? 10 : pause, ...rest);
        """)
        # Its deposit is part of the amount due before Charge is pressed.
        self.page.press("Soup")
        self.page.keys("420")
        self.due("$6.20")
        self.page.press("Add to cart")
        self.due("$6.20")
        # Without its price, nothing is charged, and express does not arm the rest of the cart.
        self.page.press("Clear")
        self.page.press("Coffee")
        self.page.press("Soup")
        self.page.press("Charge")
        self.page.press("Cash")
        # A timer that was set earlier and is shorter fires first.
        self.page.driver.execute_async_script("setTimeout(arguments[0], 100)")
        self.page.see("Enter the price of Soup.")
        self.assertIsNone(self.till.call("GET", "armed")["armed"])
        # The price belongs to the product that asked for it, whatever is pressed next.
        self.page.keys("420")
        self.page.press("Catering")
        self.page.see("Enter the price of Catering.")
        self.due("$9.70")
        self.page.keys("100")
        self.page.press("Coffee")
        self.due("$14.20")
        self.page.press("Wine")
        self.page.keys("500")
        self.page.press("Coffee")
        self.due("$22.70")
        self.page.press("Charge")
        self.armed()
        self.till.put(self.uid)
        self.page.see("Wine may be sold only to customers who are at least 18 years old.")
        self.assertEqual(self.till.done("pay"), [])

    def test_express_arms_a_single_product(self):
        self.show(COFFEE, CAKE)
        self.page.driver.execute_async_script(SETTING, {"express": True})
        self.page.press("Coffee")
        self.armed()
        self.till.put(self.uid)
        self.page.panel("done")
        self.till.take()
        self.page.press("Coffee")
        self.page.press("Cake")
        self.due("$7.50")
        self.assertEqual(self.till.call("GET", "armed")["armed"], None)
        self.assertEqual(self.till.done("pay"), ["-3.50"])


class TopUpTests(SellingCase):
    def test_a_top_up_comes_back_to_the_same_cart(self):
        self.page.keys("350", "+")
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.page.press("Top-up")
        self.page.see("Top-up amount")
        self.page.press("$20.00")
        self.due("$20.00")
        self.page.press("Top up")
        self.page.panel("done")
        self.page.leave_check()
        self.page.wait("document.querySelector('.in-home')")
        self.due("$3.50")
        self.page.press("Charge")
        self.page.panel("done")
        self.page.see("$96.50 left")
        self.assertEqual(self.till.done("add"), ["90.00", "80.00", "20.00"][2:])


class DepositTests(SellingCase):
    CUP = ["Cup", "--price", "1", "--group", "Deposits"]
    BEER = ["Beer", "--price", "4", "--deposit", "Cup", "--minimum-age", "18"]

    def setUp(self):
        super().setUp()
        self.show(self.CUP, self.BEER)

    def put(self):
        self.till.put(self.uid)
        self.page.see("Ann Smith")

    def test_the_age_is_asked_before_anything_is_charged(self):
        self.page.press("Beer")
        self.due("$5.00")
        self.page.press("Charge")
        self.armed()
        self.till.put(self.uid)
        self.page.see("Beer may be sold only to customers who are at least 18 years old.")
        self.assertEqual(self.till.done("pay"), [])
        self.page.press("Yes, $5.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-5.00"])

    def test_two_cups_back_lower_the_amount_or_are_credited(self):
        self.page.press("Beer")
        self.returned()
        self.returned()
        self.due("$3.00")
        self.page.press("Remove one Beer")
        self.page.press("Remove one Cup")
        self.due("\N{MINUS SIGN}$2.00")
        # A credit names its card.
        self.page.press("Credit")
        self.page.see("Put the card on the reader, then try again.")
        self.assertUncharged()
        self.put()
        self.page.press("Credit")
        self.page.panel("done")
        self.page.see("Credited", "$2.00", "Balance $82.00")
        self.assertEqual(self.till.done("credit"), ["2.00"])
        self.assertAudited()

    def test_what_the_balance_does_not_cover_is_paid_in_cash(self):
        self.put()
        self.page.type_amount("85.00")
        self.page.press("Charge")
        self.page.panel("failed")
        self.page.see("Use balance + $5.00 at the terminal")
        self.page.press("Use balance + $5.00 in cash")
        self.page.panel("done")
        self.page.see("Collect the remaining $5.00 in cash.", "$0.00 left")
        self.assertEqual(self.till.done("pay"), ["-80.00"])
        self.assertAudited()
