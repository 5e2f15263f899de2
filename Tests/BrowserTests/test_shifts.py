"""The shift of the drawer: opened, cash in and out, closed blind, counted again."""

from selenium.webdriver.common.by import By

from case import BrowserCase

PAPER = "return document.querySelector('.paper').innerText"


class ShiftTests(BrowserCase):
    loses_server = True

    def setUp(self):
        super().setUp()
        self.till.make_demo("20.00")
        self.page.open()

    def open_shift(self, float="100"):
        self.page.press("Shift and drawer")
        self.page.see("No shift is open.")
        self.page.type("Cash in the drawer now", float)
        self.page.press("Open shift")
        self.page.see("Opened", "Close shift")

    def close_shift(self, counted):
        self.page.type("Cash counted", counted)
        self.page.press("Close shift")
        self.page.see("counted?", "can't reopen it")
        self.page.press("Close shift")
        self.page.see("Shift closed")

    def test_a_shift_from_the_float_to_the_report(self):
        self.open_shift()
        self.page.press("Take out")
        self.page.type("Amount", "12.40")
        self.page.press("Record")
        self.page.see("Enter a reason.")
        self.page.type("Reason", "Milk")
        self.page.press("Record")
        self.page.see("$12.40 taken out of the drawer: Milk.")
        self.page.go("home")
        self.page.keys("350")
        self.page.press("Cash")
        self.page.press("Received")
        self.page.panel("done")
        self.page.go("reports")
        self.page.see("Some figures are left out until the open shift's cash is counted.")
        self.page.go("shift")
        # Nothing says before the count how much it should be.
        self.assertNotIn("91.10", self.page.driver.page_source)
        self.close_shift("90.00")
        self.page.see("$1.10 short.", "Counted $90.00, expected $91.10.")
        self.page.press("Count again")
        self.page.type("Cash counted", "91.10")
        self.page.press("Save count")
        self.page.see("Exact match.", "expected $91.10.")
        self.page.press("Show report")
        self.page.see("Not a certified fiscal register")
        paper = self.page.script(PAPER)
        for words in ("Starting cash\n$100.00", "Taken out: Milk\n−$12.40",
                      "Expected in drawer\n$91.10", "Difference\n−$1.10", "Counted again"):
            self.assertIn(words, paper)
        self.page.press("Close")
        link = self.page.driver.find_element(By.CSS_SELECTOR, "a[download]").get_attribute("href")
        self.assertIn("csv=true", link)
        self.page.see("All shifts")
        shift, = self.till.call("GET", "shifts")["shifts"]
        self.assertEqual([each["difference"] for each in shift["counts"]], ["-1.10", "0.00"])
        self.assertAudited()

    def test_a_lost_answer_opens_no_second_shift_and_moves_no_cash_twice(self):
        self.open_shift()
        self.page.type("Amount", "5")
        self.page.type("Reason", "Change")
        self.till.server.kill()
        self.page.press("Record")
        self.page.see("Connection lost. When it's back, press the same button again")
        self.till.start()
        self.page.see("Reader ready")
        self.page.press("Record")
        self.page.see("$5.00 put into the drawer: Change.")
        self.close_shift("105")
        self.page.see("Exact match.")

    def test_a_shift_that_was_closed_elsewhere_gets_no_count_from_here(self):
        self.open_shift()
        shift = self.till.call("GET", "shift")["shift"]["id"]
        self.till.call("POST", "shift/close", {"shift": shift, "counted": "100"})
        self.till.call("POST", "shift/open", {"float": "50"})
        self.page.type("Cash counted", "63.50")
        self.page.press("Close shift")
        self.page.press("Close shift")
        self.page.see("This shift was closed on another page.")
        first, second = self.till.call("GET", "shifts")["shifts"]
        self.assertEqual([len(each["counts"]) for each in (first, second)], [1, 0])

    def test_bad_amounts_are_refused_before_anything_is_sent(self):
        self.page.press("Shift and drawer")
        self.page.press("Open shift")
        self.page.see("Enter an amount.")
        for text, words in (("-5", "negative"), ("1.234", "decimal places"), ("abc", "not an amount")):
            self.page.type("Cash in the drawer now", text)
            self.page.press("Open shift")
            self.page.see(words)
        self.assertIsNone(self.till.call("GET", "shift")["shift"])
        self.page.type("Cash in the drawer now", "0")
        self.page.press("Open shift")
        self.page.see("Opened")


class RequiredShiftTests(BrowserCase):
    settings = {"TAPCARD_SHIFT_REQUIRED": "true"}

    def test_the_till_says_that_a_shift_is_needed_and_leads_there(self):
        self.page.open()
        self.page.see("You can't sell or top up until a shift is open.")
        self.page.keys("350")
        self.page.press("Cash")
        self.page.press("Received")
        self.page.see("Open a shift first.")
        self.page.press("Back")
        self.page.press("Open shift")
        self.page.see("Cash in the drawer now")
        self.page.type("Cash in the drawer now", "50")
        self.page.press("Open shift")
        self.page.go("home")
        self.page.see_no("You can't sell")
        self.page.press("Cash")
        self.page.press("Received")
        self.page.panel("done")
        self.page.see("Paid")
