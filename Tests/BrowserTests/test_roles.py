"""What the page offers in each role, and a replacement that a second person agrees to."""

from case import BrowserCase

PASSWORD = "sesame-open"
ACTIONS = "[...document.querySelectorAll('.actions button span')].map(({ textContent: t }) => t)"


class RoleTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("12.50")
        self.till.add_cashier("Ola", PASSWORD)
        for name, role in (("Cat", "cashier"), ("Sam", "seller")):
            self.till.run(
                "cashiers", "add", name, "--role", role, TAPCARD_CASHIER_PASSWORD=PASSWORD)

    def log_in(self, name):
        self.page.open(until="Log in to start.")
        self.page.type("Name", name)
        self.page.type("Password", PASSWORD)
        self.page.press("Log in")
        self.page.see(f"Cashier: {name}", "Amanda Gonzalez")

    def actions(self):
        self.page.go("cards")
        self.page.see("Card number")
        return self.page.script(f"return {ACTIONS}")

    def test_a_seller_is_offered_only_what_sellers_may_do(self):
        self.log_in("Sam")
        self.page.see("Amount due")
        self.assertNotIn("Top-up", self.page.text())
        self.assertFalse(self.page.script(
            "return document.querySelector('[data-part=history]').checkVisibility()"))
        self.assertEqual(self.actions(), ["Replace"])
        for view in ("add", "issue", "history"):
            self.page.go(view)
            self.page.see("Page not found")
        self.page.go(f"history/{self.uid}")
        self.page.see("Amanda" if "Amanda" in self.page.text() else "History", "$12.50")
        self.page.see_no("Undo")
        self.page.go("home")
        self.page.take("$1.00")
        self.page.panel("done")
        self.page.leave_check()
        # The seller may undo this payment for a few minutes.
        self.page.go(f"history/{self.uid}")
        self.page.see("Refund")

    def test_a_cashier_is_offered_more_and_an_owner_everything(self):
        self.log_in("Cat")
        self.page.see("Top-up")
        offered = self.actions()
        self.assertIn("Block", offered)
        for name in ("Repair", "Unblock", "Convert"):
            self.assertNotIn(name, offered)
        self.page.go("history")
        self.page.see("History")
        self.page.see_no("Drawer")
        # The new role applies without another login.
        self.till.run("cashiers", "role", "Cat", "owner")
        self.page.go("cards")
        self.page.see("Repair", "Unblock")

    def test_a_second_person_agrees_to_a_replacement_in_the_same_dialog(self):
        self.till.take()
        self.till.put("NTAG213")
        self.page.open(until="Log in to start.")
        self.page.type("Name", "Sam")
        self.page.type("Password", PASSWORD)
        self.page.press("Log in")
        self.page.see("Cashier: Sam", "Blank tag")
        self.page.go("cards")
        self.page.type("Card number", self.uid)
        self.page.press("Replace")
        self.page.see("Ask a cashier or an owner to approve this")
        self.agree("Cat", "wrong")
        self.page.see("Wrong name or password.")
        self.assertEqual(self.page.script("return arguments[0].value",
                                          self.page.field("Password")), "")
        self.agree("Sam", PASSWORD)
        self.page.see("Only a cashier or an owner may do this.")
        self.agree("Cat", PASSWORD)
        self.page.panel("done")
        self.assertEqual(self.till.read()["balance"], "12.50")
        self.assertEqual([each["cashier"] for each in self.till.history()
                          if each["kind"] == "replace"], ["Sam"])

    def agree(self, name, password):
        self.page.type("Name", name)
        self.page.type("Password", password)
        self.page.press("Replace")
