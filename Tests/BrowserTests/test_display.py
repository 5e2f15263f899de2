"""The customer's display."""

import os
import re

import axe_core_python

from case import BrowserCase

AXE = f"{os.path.dirname(axe_core_python.__file__)}/axe.min.js"
AUDIT = """
const [done] = arguments;
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
  violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" "))}`)));
"""
SMALL = (320, 640)

SALE = {"lines": [{"name": "Coffee with a very long name", "quantity": 2, "price": "7.00"},
                  {"name": "Cup returned", "quantity": 1, "price": "-1.00"}], "sum": "6.00"}
# Counts the events that the page shows. Each sets the class of the body.
COUNT = """
window.events = 0;
new MutationObserver((records) => { events += records.length; })
  .observe(document.body, { attributeFilter: ["class"] });
"""
EVENTS = "return events"


class DisplayTests(BrowserCase):
    tills = 2

    def setUp(self):
        super().setUp()
        self.till.make_demo("20.00")
        self.page.driver.get(f"{self.till.url}/tills/1/display")
        self.page.see("Welcome")

    def show(self, sale):
        self.till.call("POST", "display", sale)

    def test_each_change_is_one_event_and_is_shown(self):
        self.page.script(COUNT)
        for count in range(1, 21):
            self.show({"lines": [], "sum": f"{count}.50"})
            self.page.see(f"${count}.50")
        self.assertEqual(self.page.script(EVENTS), 20)
        # What does not change is not sent.
        self.show({"lines": [], "sum": "20.50"})
        self.show({"lines": [], "sum": "1.00"})
        self.page.see("$1.00")
        self.assertEqual(self.page.script(EVENTS), 21)

    def test_a_sale_is_shown_until_it_is_paid_without_name_or_number(self):
        self.show(SALE)
        self.page.see("Total", "$6.00", "2 \u00d7 Coffee with a very long name", "\u2212$1.00")
        self.till.call("POST", "pay", {"amount": "6.00"})
        self.page.see("Paid", "$6.00", "New balance: $14.00")
        self.assertNotIn("Amanda", self.page.text())
        self.assertIsNone(re.search("04 ?[0-9A-F]{2}", self.page.text()))
        # The outcome disappears by itself.
        self.show({"lines": [], "sum": None})
        self.page.see("Welcome")

    def test_another_till_has_its_own_display(self):
        self.page.driver.get(f"{self.till.url}/tills/2/display")
        self.page.see("Welcome")
        self.show(SALE)
        self.till.call("POST", "display", {"lines": [], "sum": "2.00"}, at=2)
        self.page.see("$2.00")
        self.assertNotIn("Coffee", self.page.text())

    def test_a_refusal_has_a_reason_for_the_customer(self):
        with self.assertRaises(Exception):
            self.till.call("POST", "pay", {"amount": "90"})
        self.page.see("Not paid", "There is not enough money on this card.")

    def test_everything_fits_on_a_narrow_screen_with_large_text(self):
        with open(AXE, encoding="utf-8") as file:
            self.page.script(file.read())
        for scheme in ("light", "dark"):
            self.page.look(SMALL, scheme)
            self.page.script("document.body.style.fontSize = '32px'")
            for sale, words in ((SALE, "$6.00"), ({"lines": [], "sum": None}, "Welcome")):
                self.show(sale)
                self.page.see(words)
                self.assertEqual(self.page.driver.execute_async_script(AUDIT), [])
                self.assertLessEqual(
                    self.page.script("return document.documentElement.scrollWidth"), SMALL[0])

    def test_a_display_without_a_server_says_so_and_comes_back(self):
        self.loses_server = True
        self.show(SALE)
        self.page.see("$6.00")
        self.till.server.stop()
        self.page.see("Please wait")
        self.assertNotIn("$6.00", self.page.text())
        self.till.start()
        self.page.see("Welcome")


class TypedAmountTests(BrowserCase):
    def test_the_amount_that_the_cashier_types_is_shown(self):
        self.till.make_demo("20.00")
        self.page.open()
        till = self.page.driver.current_window_handle
        display = self.open_tab()
        self.page.driver.get(f"{self.till.url}/display")
        self.page.see("Welcome")
        self.turn_to(till)
        self.page.go("home")
        self.page.type_amount("$3.50")
        self.turn_to(display)
        self.page.see("Total", "$3.50")
