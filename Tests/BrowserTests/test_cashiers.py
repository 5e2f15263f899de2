"""A till that requires a login."""

from case import BrowserCase
from till import Refused

PASSWORD = "sesame-open"
LOGIN = "Log in to start."


class CashierTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.till.make_demo("5.00")
        self.till.add_cashier("Ann", PASSWORD)
        self.page.open(until=LOGIN)

    def log_in(self, password=PASSWORD, name="Ann"):
        self.page.type("Name", name)
        self.page.type("Password", password)
        self.page.press("Log in")

    def refusal(self, **who):
        with self.assertRaises(Refused) as refused:
            self.till.send("POST", "session", who, {"Content-Type": "application/json"})
        return refused.exception.document

    def test_nothing_is_shown_before_the_login_and_what_is_done_names_the_cashier(self):
        self.assertNotIn("Amanda", self.page.text())
        self.log_in("wrong")
        self.page.see(self.refusal(cashier="Ann", password="wrong")["title"])
        self.assertNotIn("Amanda", self.page.text())
        self.assertEqual(self.page.script("return arguments[0].value", self.page.field("Password")), "")
        self.log_in()
        self.page.see("Cashier: Ann", "Amanda Gonzalez")
        self.page.go("home")
        self.page.take("$1.00")
        self.page.panel("done")
        self.page.leave_check()
        self.page.go("history")
        self.page.see("by Ann")
        self.assertEqual([each["cashier"] for each in self.till.history()
                          if each["kind"] == "pay"], ["Ann"])

    def test_a_login_outlives_a_reload_and_ends_with_the_logout(self):
        self.log_in()
        self.page.see("Cashier: Ann")
        self.page.driver.refresh()
        self.page.see("Cashier: Ann", "Amanda Gonzalez")
        self.page.press("Log out")
        self.page.see(LOGIN)
        self.assertNotIn("Amanda", self.page.text())
        self.page.driver.refresh()
        self.page.see(LOGIN)
        self.assertNotIn("Amanda", self.page.text())

    def test_who_tries_too_often_has_to_wait(self):
        for _ in range(5):
            self.refusal(cashier="Ann", password="wrong")
        self.log_in()
        self.page.see(self.refusal(cashier="Ann", password="wrong")["title"])
        self.assertNotIn("Amanda", self.page.text())

    def test_who_was_removed_is_asked_again_and_pays_nothing(self):
        self.log_in()
        self.page.see("Cashier: Ann", "Amanda Gonzalez")
        self.page.go("home")
        self.till.add_cashier("Bob", PASSWORD)
        self.till.run("cashiers", "role", "Bob", "owner")
        self.till.run("cashiers", "remove", "Ann")
        self.page.see(LOGIN)
        self.log_in(name="Bob")
        self.page.see("Cashier: Bob")
        self.assertEqual(self.till.done("pay"), [])
