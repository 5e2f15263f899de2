"""A tap meant for what was there before moves no money, with a mouse or a finger."""

from browser import NARROW, TABLET, WIDE
from case import BrowserCase

SIZES = {"wide": WIDE, "tablet": TABLET, "narrow": NARROW}
# Common phones, with the part of the screen that their browsers leave free.
PHONES = {"360x640": (360, 640), "390x664": (390, 664), "375x667": (375, 667),
          "320x568": (320, 568)}
MORE = {"390x844": (390, 844), "768x1024": (768, 1024), "1440x900": (1440, 900)}
HOWS = ("mouse", "touch")
# The page's time when each element appeared.
APPEARED = """
window.appeared = {};
const look = () => Object.entries({
  keypad: ".in-add .keypad", refund: "dialog .strong",
}).forEach(([name, place]) => {
  if (document.querySelector(place)) appeared[name] ??= performance.now();
  else delete appeared[name];
});
look();
new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
"""
CHARGE = "#charge"


class DoubleTapTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.till.make_demo("100.00")

    def at_home(self, size):
        # A card is charged once per visit.
        self.till.put_again()
        self.page.look(size)
        self.page.open()
        self.page.see("Amanda Gonzalez")
        self.page.script(APPEARED)

    def appeared(self, what):
        return self.page.wait("window.appeared[arguments[0]]", what)

    def centre(self, selector):
        self.page.script("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
                         selector)
        left, top, right, bottom = self.page.box(selector)
        return (left + right) / 2, (top + bottom) / 2

    def now(self):
        return self.page.script("return performance.now()")

    def assertNothingMoved(self, verb, before):
        self.assertEqual(self.page.count(".panel, .moment"), 0)
        self.assertEqual(self.till.done(verb), before)

    def test_a_double_tap_on_top_up_moves_no_money(self):
        for size in SIZES:
            for how in HOWS:
                with self.subTest(size=size, how=how):
                    self.at_home(SIZES[size])
                    before = self.till.done("add")
                    place = self.centre(".to-add")
                    self.page.tap(*place, self.now(), how)
                    self.page.tap(*place, self.appeared("keypad") + 300, how)
                    self.assertNothingMoved("add", before)

    def test_what_has_moved_moves_no_money(self):
        for how in HOWS:
            with self.subTest(how=how):
                self.at_home(WIDE)
                self.page.type_amount("1.00")
                self.page.come_to_rest(self.page.find("Charge"))
                for padding in ("90px", ""):
                    self.page.script(
                        "document.querySelector('main').style.paddingTop = arguments[0]", padding)
                    self.page.tap(*self.centre(CHARGE), self.now() + 300, how)
                    self.assertNothingMoved("pay", [])

    def test_many_taps_charge_once(self):
        # Phones have no mouse.
        for name, size in (SIZES | PHONES | MORE).items():
            for how in HOWS[1:] if name in PHONES else HOWS:
                with self.subTest(size=name, how=how):
                    self.at_home(size)
                    before = len(self.till.done("pay"))
                    self.page.take("$1.00")
                    self.page.panel("done")
                    place = self.centre(CHARGE)
                    for _ in range(10):
                        # Each tap comes as late as if somebody had waited before it.
                        self.page.tap(*place, self.now() + 5000, how)
                    self.assertEqual(len(self.till.done("pay")), before + 1)

    def test_charging_the_same_card_again_is_where_nothing_else_charges(self):
        for name, size in (SIZES | PHONES | MORE).items():
            with self.subTest(size=name):
                self.at_home(size)
                self.page.take("$1.00")
                self.page.panel("done")
                self.page.wait("document.querySelector('.again')")
                self.assertFalse(overlap(self.page.box(CHARGE), self.page.box(".again")))

    def test_a_question_is_not_answered_by_the_tap_that_asked_it(self):
        self.till.call("POST", "pay", {"amount": "2.50"})
        for how in HOWS:
            with self.subTest(how=how):
                self.at_home(WIDE)
                self.page.go("history")
                self.page.press("Refund \u2212$2.50")
                self.page.press("Refund payment")
                came = self.appeared("refund")
                self.page.tap(*self.centre("dialog .strong"), came + 300, how)
                self.assertEqual(self.page.count("dialog[open]"), 1)
        self.assertEqual(self.till.done("refund"), [])


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
