"""How many touches and keys the work at the till costs, and how long it takes this script."""

import time

from selenium.webdriver.common.keys import Keys

from test_selling import CAKE, COFFEE, SETTING, SellingCase

BEER = ["Beer", "--price", "4.50", "--group", "Drinks", "--deposit", "Cup"]
CUP = ["Cup", "--price", "2", "--group", "Deposits"]


class EffortTests(SellingCase):
    def setUp(self):
        super().setUp()
        self.begin()

    def press(self, *names):
        for name in names:
            self.page.press(name)
            self.efforts += 1

    def keys(self, *keys):
        self.page.keys(*keys)
        self.efforts += len(keys)

    def fill(self, label, text):
        """One touch for the field, and a key for each character."""
        self.page.type(label, text)
        self.efforts += 1 + len(text)

    def pay(self):
        """The customer's card comes, pays, and goes."""
        self.armed()
        self.till.put(self.uid)
        self.page.panel("done")
        self.till.take()

    def begin(self):
        self.efforts, self.since = 0, time.monotonic()

    def cost(self, what, most):
        print(f"touches and keys: {what}: {self.efforts} (at most {most}), "
              f"{time.monotonic() - self.since:.0f} s", flush=True)
        self.assertLessEqual(self.efforts, most, what)

    def test_ten_customers_buy_a_product(self):
        self.show(COFFEE, CAKE)
        for _ in range(10):
            self.press("Coffee", "Charge")
            self.pay()
        self.cost("ten customers at 3.50, as a product", 20)
        self.begin()
        self.page.driver.execute_async_script(SETTING, {"express": True})
        for _ in range(10):
            self.press("Coffee")
            self.pay()
        self.cost("ten customers at 3.50, with express", 10)
        self.assertEqual(self.till.done("pay"), ["-3.50"] * 20)

    def test_a_cart_of_five_with_two_deposits_back_and_its_undoing(self):
        self.show(CUP, BEER, COFFEE, CAKE)
        self.press("Beer", "Beer", "Coffee", "Coffee", "Cake")
        for _ in range(2):
            self.returned()
            self.efforts += 1
        self.press("Charge")
        self.pay()
        self.cost("a cart of five with two deposits back", 8)
        self.begin()
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.page.wait("document.querySelector('.paid-strip')")
        self.press("Undo")
        self.page.panel("done")
        self.cost("a mistake undone", 1)
        self.assertEqual(self.till.done("refund"), ["20.00"])

    def test_a_top_up_and_back(self):
        self.till.put(self.uid)
        self.page.see("Ann Smith")
        self.press("Top-up", "$20.00", "Top up")
        self.page.panel("done")
        self.till.take()
        self.page.wait("document.querySelector('.in-home')")
        self.page.see("Amount due")
        self.cost("a top-up and back", 3)
        self.assertEqual(self.till.done("add")[-1], "20.00")

    def test_a_lost_card_is_replaced_by_name(self):
        self.till.put("NTAG213")
        self.page.see("Blank tag")
        self.press("Card tools")
        self.fill("Part of the name or card number", "ann")
        self.keys(Keys.ENTER)
        self.page.see("Ann Smith", "$80.00")
        self.press("Choose", "Replace", "Replace")
        self.page.panel("done")
        self.page.see("Ann Smith")
        self.cost("a lost card replaced by name", 9)

    def test_a_shift_is_closed(self):
        self.till.call("POST", "shift/open", {"float": "100"})
        self.press("Shift and drawer")
        self.fill("Cash counted", "123.40")
        self.press("Close shift", "Close shift")
        self.page.see("Shift closed")
        self.cost("a shift closed", 10)
