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
  presets: ".presets button", check: ".panel .check", refund: "dialog .strong",
}).forEach(([name, place]) => {
  if (document.querySelector(place)) appeared[name] ??= performance.now();
  else delete appeared[name];
});
look();
new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
"""
TILES = {"pay": "Payment", "add": "Top-up"}


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
        left, top, right, bottom = self.page.box(selector)
        return (left + right) / 2, (top + bottom) / 2

    def now(self):
        return self.page.script("return performance.now()")

    def tap_everywhere(self, at, how):
        """Taps each of the presets, whichever is under the finger."""
        for number in range(self.page.count(".presets button")):
            self.page.tap(*self.centre(f".presets button:nth-child({number + 1})"), at, how)

    def assertNothingMoved(self, verb, before):
        self.assertEqual(self.page.count(".panel"), 0)
        self.assertEqual(self.till.done(verb), before)

    def test_what_appears_under_a_finger_moves_no_money(self):
        for size in SIZES:
            for how in HOWS:
                for verb in TILES:
                    with self.subTest(size=size, how=how, verb=verb):
                        self.at_home(SIZES[size])
                        before = self.till.done(verb)
                        place = self.centre(f".tile.{verb}")
                        self.page.tap(*place, self.now(), how)
                        came = self.appeared("presets")
                        self.page.tap(*place, came + 300, how)
                        self.tap_everywhere(came + 300, how)
                        self.assertNothingMoved(verb, before)

    def test_it_acts_as_soon_as_it_was_there_for_a_moment(self):
        for how in HOWS:
            with self.subTest(how=how):
                self.at_home(WIDE)
                self.page.go("home")
                came = self.appeared("presets")
                preset = self.centre(".presets button")
                self.page.tap(*preset, came + 500, how)
                self.assertNothingMoved("pay", ["-1.00"] * HOWS.index(how))
                self.page.tap(*preset, self.appeared("presets") + 700, how)
                self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"] * 2)

    def test_what_has_moved_moves_no_money(self):
        for how in HOWS:
            with self.subTest(how=how):
                self.at_home(WIDE)
                self.page.go("home")
                self.page.type_amount("1.00")
                self.page.come_to_rest(self.page.find("Charge"))
                for padding, place in (("90px", ".presets button"), ("", ".free button")):
                    self.page.script(
                        "document.querySelector('main').style.paddingTop = arguments[0]", padding)
                    self.page.tap(*self.centre(place), self.now() + 300, how)
                    self.assertNothingMoved("pay", [])

    def test_the_check_mark_charges_nothing_again(self):
        for size in SIZES:
            for how in HOWS:
                with self.subTest(size=size, how=how):
                    self.at_home(SIZES[size])
                    self.page.go("home")
                    self.page.take("$1.00")
                    self.page.panel("done")
                    paid = self.till.done("pay")
                    check = self.centre(".check")
                    later = self.appeared("check") + 2000
                    self.page.tap(*check, later, how)
                    self.page.wait("!document.querySelector('.panel')")
                    self.page.tap(*check, later + 300, how)
                    self.tap_everywhere(self.now() + 300, how)
                    self.assertNothingMoved("pay", paid)

    def test_presets_are_never_where_the_tile_or_the_check_mark_was(self):
        for name, size in (SIZES | PHONES).items():
            with self.subTest(size=name):
                self.at_home(size)
                self.till.take()
                self.page.see("Tap a card")
                tiles = [self.page.box(f".tile.{verb}") for verb in TILES]
                boxes = {}
                for verb in TILES:
                    self.page.go(verb)
                    self.page.wait("document.querySelector('.presets button')")
                    boxes[verb] = self.page.box(".presets")
                self.page.take("$10.00")
                self.page.panel("waiting")
                self.till.put()
                self.page.panel("done")
                for verb, box in boxes.items():
                    for other in [*tiles, self.page.box(".check")]:
                        self.assertFalse(overlap(box, other), f"{verb}: {box} on {other}")
                self.assertInSight(size)

    def test_charging_the_same_card_again_is_where_nothing_else_charges_or_leads_there(self):
        for name, size in (SIZES | PHONES | MORE).items():
            with self.subTest(size=name):
                self.at_home(size)
                boxes = [self.page.box(f".tile.{verb}") for verb in TILES]
                self.page.go("home")
                self.page.wait("document.querySelector('.presets button')")
                boxes += [self.page.box(".presets"), self.page.box(".free button")]
                self.page.take("$1.00")
                self.page.panel("done")
                boxes.append(self.page.box(".check"))
                self.page.leave_check()
                self.page.wait("document.querySelector('.again')")
                again = self.page.box(".again")
                for box in boxes:
                    self.assertFalse(overlap(box, again), f"{again} on {box}")
                self.assertLessEqual(again[3], size[1] * 0.6, "in reading")

    def test_alternating_taps_charge_once(self):
        for name, size in (SIZES | MORE).items():
            for how in HOWS:
                with self.subTest(size=name, how=how):
                    self.at_home(size)
                    before = len(self.till.done("pay"))
                    self.page.go("home")
                    self.page.wait("document.querySelector('.presets button')")
                    preset = self.centre(".presets button")
                    self.page.take("$1.00")
                    self.page.panel("done")
                    check = self.centre(".check")
                    for tap in range(20):
                        # Each tap comes as late as if somebody had waited before it.
                        self.page.tap(*(check, preset)[tap % 2], self.now() + 5000, how)
                        self.page.wait("!document.querySelector('.panel.waiting, .panel.working')")
                    self.assertEqual(len(self.till.done("pay")), before + 1)

    def assertInSight(self, size):
        """The amount and check mark of "Paid" are visible at once, and nothing has scrolled."""
        self.assertEqual(self.page.script("return scrollY"), 0)
        floor = self.page.box("#dock")[1] if size[0] < 800 else size[1]
        for place in (".panel .what", ".check"):
            _, top, _, bottom = self.page.box(place)
            self.assertGreaterEqual(top, 0, place)
            self.assertLessEqual(bottom, floor, place)

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
