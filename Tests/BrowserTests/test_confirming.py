"""Services whose built-in addresses nobody has confirmed."""

import json
import socket
import threading

from case import BrowserCase
from test_lost_answers import INSTEAD

LOTTERY = "https://agimenez95.github.io/LottoDrawsJSON"
ASKED = "Connect to agimenez95.github.io?"
CONFIRM = "Confirm address"
# The answer from a server that other machines can reach.
OPERATOR_NEEDED = json.dumps({
    "status": 409, "error": "operator-needed", "result": "refused",
    "title": "Other machines can reach this page, so only the operator can confirm this address.",
    "meaning": "Nothing was done.", "next": [{"step": "ask-operator"}]})


class UnconfirmedCase(BrowserCase):
    def setUp(self):
        """Sends every outside request through a proxy that counts it and hangs up."""
        self.leaving = 0
        self.proxy = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.proxy.close)
        threading.Thread(target=self.count, daemon=True).start()
        address = "http://127.0.0.1:%d" % self.proxy.getsockname()[1]
        self.settings = {
            "http_proxy": address, "https_proxy": address,
            **{f"TAPCARD_{name}_URL": "" for name in ("ACTIVATION", "LOTTERY", "MASTERMIND")}}
        super().setUp()

    def count(self):
        while True:
            try:
                connection, _ = self.proxy.accept()
            except OSError:
                return
            self.leaving += 1
            connection.close()

    def decline(self, button="Cancel"):
        self.page.press(button)
        self.page.wait("!document.querySelector('dialog')")
        self.assertEqual(self.leaving, 0)


class ConfirmingTests(UnconfirmedCase):
    def test_a_view_asks_once_whether_a_service_may_be_asked(self):
        self.page.open("draws")
        self.page.see(ASKED, LOTTERY)
        self.decline()
        self.page.see(f"The lottery's address, {LOTTERY}, has not been confirmed yet",
                      "Nothing was sent",
                      "Ask the operator to confirm the service's address.")
        # The view is reloaded after each operation.
        self.page.requests()
        self.till.make_demo("20.00")
        self.till.wait("it is loaded again", lambda: any(
            url.endswith("/draws") for url in self.page.requests()))
        self.page.see("Ask the operator to confirm the service's address.")
        self.assertEqual(self.page.count("dialog"), 0)
        self.page.press("Try again")
        self.page.see(ASKED)
        self.page.press(CONFIRM)
        self.page.see("The service could not be used")
        self.assertGreater(self.leaving, 0)
        self.page.go("tickets")
        self.page.see("Buy a ticket", "The service could not be used")
        self.assertEqual(self.page.count("dialog"), 0)

    def test_a_server_that_takes_no_confirmation_is_not_offered_one_again(self):
        self.page.open("draws")
        self.page.see(ASKED)
        self.page.script(INSTEAD, "/settings", 409, OPERATOR_NEEDED)
        self.page.press(CONFIRM)
        self.page.see("so only the operator can confirm this address.")
        self.page.press("Try again")
        self.page.see(ASKED, "Only the operator can confirm this address.")
        self.assertFalse(self.page.can_press(CONFIRM))
        self.decline("Close")

    def test_an_operation_is_begun_once_its_address_is_confirmed(self):
        self.till.make_demo()
        self.till.call("POST", "scratch", {})
        self.page.open("activate")
        for _ in range(2):
            self.page.press("Activate code")
            self.page.see("Connect to api.o2.sk?")
            self.decline()
        self.assertEqual(self.till.read()["state"], "scratched")
        self.page.press("Activate code")
        self.page.press(CONFIRM)
        self.page.see("Activation not confirmed", "The service could not be used")
        self.assertGreater(self.leaving, 0)

    def test_a_login_is_sent_once_its_address_is_confirmed(self):
        self.page.open("mastermind")
        self.page.type("User name", "amanda")
        self.page.type("Password", "sandbox")
        self.page.press("Log in")
        self.page.see("Connect to emarest.cz.mass-php-1.mit.etn.cz?")
        self.page.press(CONFIRM)
        self.page.see("The service could not be used")
        self.assertGreater(self.leaving, 0)


class CashierTests(UnconfirmedCase):
    def test_a_cashier_is_sent_to_the_operator(self):
        self.till.add_cashier("Ann", "sesame-open")
        self.page.open("draws", until="Log in to start.")
        self.page.type("Name", "Ann")
        self.page.type("Password", "sesame-open")
        self.page.press("Log in")
        self.page.see(ASKED, LOTTERY, "Only the operator can confirm this address.")
        self.assertFalse(self.page.can_press(CONFIRM))
        self.decline("Close")
