"""No card pays a sale that is not armed, whatever the cashier's hands and screen."""

from selenium.webdriver.common.keys import Keys

from browser import NARROW, TABLET, WIDE
from test_selling import COFFEE, SellingCase

SIZES = {"wide": WIDE, "tablet": TABLET, "narrow": NARROW}
HOWS = ("mouse", "touch", "keyboard")
DIGIT = "[...document.querySelectorAll('.digit')].find((it) => it.textContent === '5')"
TILE = "document.querySelector('.product')"
MORE = "document.querySelector('.cart button:last-of-type')"
CHARGE = "document.querySelector('#charge')"
BACK = "document.querySelector('.digit:last-child')"
CASH = "document.querySelector('.tenders button')"


class UnarmedTests(SellingCase):
    def setUp(self):
        super().setUp()
        self.show(COFFEE)

    def press(self, control, how):
        target = self.page.wait(control)
        self.page.come_to_rest(target)
        if how == "keyboard":
            self.page.script("arguments[0].focus()", target)
            self.page.keys(Keys.ENTER)
            return
        left, top, right, bottom = self.page.script("""
          arguments[0].scrollIntoView({ block: "center" });
          const { left, top, right, bottom } = arguments[0].getBoundingClientRect();
          return [left, top, right, bottom];
        """, target)
        now = self.page.script("return performance.now()")
        self.page.tap((left + right) / 2, (top + bottom) / 2, now, how)

    def assertNobodyPays(self, paid):
        """A card comes, is read, and goes."""
        self.till.put(self.uid)
        self.till.wait("the card is read", self.till.read)
        self.till.take()
        self.assertEqual(self.till.done("pay"), paid)

    def test_a_tap_after_each_key_and_tile_pays_nothing(self):
        paid = []
        for name, size in SIZES.items():
            for how in HOWS:
                with self.subTest(size=name, how=how):
                    self.page.look(size)
                    for control, due in ((DIGIT, "$0.05"), (TILE, "$3.55"), (MORE, "$7.05"),
                                         (CASH, "$7.05")):
                        self.press(control, how)
                        self.due(due)
                        if control in (TILE, CASH):
                            self.assertNobodyPays(paid)
                    # Leaves the payment in cash, and then erases the amount.
                    self.press(BACK, how)
                    self.press(BACK, how)
                    self.due("$7.00")
                    self.press(CHARGE, how)
                    self.armed()
                    self.till.put(self.uid)
                    self.page.panel("done")
                    paid.append("-7.00")
                    self.till.take()
                    self.assertEqual(self.till.done("pay"), paid)
                    # What was paid is gone, so the next card pays nothing.
                    self.assertNobodyPays(paid)
                    self.page.open()
                    self.page.see("Coffee")
        self.assertAudited()
