"""Nothing moves under a finger, and nothing untrue is said."""

import threading

from browser import NARROW, WIDE
from case import BrowserCase
from till import Refused

# Runs the page's delayed actions at once, except the one for a silent server.
HURRY = """
const later = window.setTimeout;
window.setTimeout = (act, pause, ...rest) =>
  later(act, pause >= 1000 && act.name !== "giveUp" ? 0 : pause, ...rest);
"""
COLOURS = """
const of = (place, name, part) => getComputedStyle(document.querySelector(place), part)[name];
return [of("rect.paid", "fill"), of("rect.added", "fill"), of("rect.added", "stroke"),
  of(".key.paid", "backgroundColor", "::before"), of(".key.added", "backgroundColor", "::before"),
  of("body", "backgroundColor")];
"""


class CalmTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("20.00")

    def places(self):
        return self.page.script("""
          return [...document.querySelectorAll("main a, main button, main input")].map((it) => {
            const { x, y, width, height } = it.getBoundingClientRect();
            return [x, y, width, height].map(Math.round);
          });
        """)

    def test_what_others_did_stands_apart(self):
        self.page.open()
        self.page.see("Amanda Gonzalez")
        for amount in ("1.00", "2.00"):
            self.till.call("POST", "pay", {"amount": amount})
        between = ("document.querySelector('#others > * + *') && getComputedStyle("
                   "document.querySelector('#others > * + *'), '::before').content")
        self.assertEqual(self.page.wait(between), '"\u00a0\u00b7\u00a0"')

    def test_what_another_till_does_moves_nothing(self):
        self.till.take()
        other = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
        for size in (WIDE, NARROW):
            with self.subTest(size=size):
                self.page.look(size)
                self.page.open("home")
                self.page.see("Tap a card")
                before = self.places()
                asking = threading.Thread(target=self.ask, args=(other,))
                asking.start()
                self.page.see("Another page, Top-up, waiting")
                self.assertEqual(self.places(), before)
                self.till.call("DELETE", f"operations/{other}")
                asking.join()

    def ask(self, operation):
        with self.assertRaises(Refused):
            self.till.call("POST", "add", {"amount": "1.00", "operation": operation})

    def pay(self):
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.page.take("$2.50")
        self.page.panel("done")

    def test_paid_goes_by_itself_when_the_card_has_left(self):
        self.pay()
        self.till.take()
        self.page.wait("!document.querySelector('.due.paid')")
        self.page.see("Tap a card")

    def test_what_has_to_be_handed_out_stays(self):
        self.page.open("cards")
        self.page.see("Amanda Gonzalez")
        self.page.script(HURRY)
        self.page.press("Pay out and close")
        self.page.press("Pay out and close")
        self.page.panel("done")
        self.till.take()
        self.page.driver.execute_async_script("""
          const done = arguments[0];
          import("/store.js").then(({ onChange, state }) => {
            const look = () => { if (state.onReader === null) setTimeout(done, 1000); };
            onChange(look);
            look();
          });
        """)
        self.page.see("Give the customer $20.00")

    def test_the_amount_is_said(self):
        self.pay()
        self.page.wait("document.querySelector('#polite').innerText"
                       " === 'Paid $2.50. $17.50 left'")

    def test_a_card_that_lies_there_is_not_asked_for(self):
        self.till.call("POST", "block", {})
        self.page.open("home")
        self.page.see("This card is blocked")
        for view in ("add", "home", "scratch", "activate", "tickets"):
            with self.subTest(view):
                self.page.go(view)
                self.page.wait("document.querySelector(`.in-${arguments[0]}`)", view)
                for words in ("Choose an amount", "Tap a card"):
                    self.assertNotIn(words, self.page.text())

    def test_forced_colors_keep_the_series_of_the_chart_apart(self):
        self.till.call("POST", "pay", {"amount": "5.00"})
        self.page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "forced-colors", "value": "active"}]})
        self.page.open("history")
        self.page.wait("document.querySelector('rect.paid')")
        paid, inside, stroke, key, other, paper = self.page.script(COLOURS)
        self.assertEqual((inside, paid), ("none", stroke))
        self.assertNotEqual(paid, paper)
        self.assertNotEqual(key, other)
        system = self.page.script("""
          const probe = document.createElement("p");
          probe.style.color = "CanvasText";
          document.body.append(probe);
          return getComputedStyle(probe).color;
        """)
        self.assertEqual((paid, key), (system, system))
