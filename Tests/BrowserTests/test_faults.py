"""Faults in the middle of an operation: nothing is claimed that did not happen, and nothing happens
twice."""

import os
import shutil

from case import BrowserCase

# The record has four pages, so it is complete after the last one.
WHOLE = "4 pulled-after"
CALLS = """
window.calls = [];
const send = window.fetch;
window.fetch = (path, options) => {
  window.calls.push([options?.method ?? "GET", String(path), options?.body ?? null]);
  return send(path, options);
};
"""


class FaultCase(BrowserCase):
    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("20.00")
        added = self.page.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": CALLS})
        self.addCleanup(self.page.driver.execute_cdp_cmd,
                        "Page.removeScriptToEvaluateOnNewDocument", added)
        self.page.open("home")
        self.page.see("Amanda Gonzalez")

    def payments(self):
        """The bodies of the payments that this page sent."""
        return self.page.script(
            "return window.calls.filter(([, path]) => path.endsWith('/pay'))"
            ".map(([, , body]) => JSON.parse(body))")

    def wait_at_the_reader(self):
        """Waits until the unknown payment waits for its card, under its own id."""
        self.page.wait("window.calls.filter(([, path]) => path.endsWith('/pay')).length > 1")
        self.wait_for_phase("waiting")

    def wait_for_end(self):
        self.wait_for_phase("failed")

    def wait_for_phase(self, phase):
        path = f"operations/{self.payments()[0]['operation']}"
        self.till.wait(phase, lambda: self.till.call("GET", path)["phase"] == phase)

    def assertOnePayment(self, sent):
        payments = self.payments()
        self.assertEqual(len(payments), sent)
        self.assertEqual(len({each["operation"] for each in payments}), 1)


class TornTests(FaultCase):
    def pull(self, fault):
        self.till.tear(fault)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.page.see("Outcome unknown, $2.50", "Tap the same card again to finish.")
        self.assertEqual(self.page.count(".due.done"), 0)
        self.wait_at_the_reader()
        self.till.put(self.uid)

    def test_a_card_pulled_behind_a_whole_record_has_paid(self):
        self.pull(WHOLE)
        self.page.panel("done")
        self.page.see("$17.50 left")
        self.assertOnePayment(sent=2)
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        self.assertAudited()

    def test_a_card_pulled_in_front_of_a_whole_record_pays_when_it_is_held_again(self):
        self.pull("2 torn mix 7")
        self.page.panel("done")
        self.page.see("$17.50 left")
        self.assertOnePayment(sent=2)
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        self.assertAudited()

    def test_what_another_station_gave_up_is_not_paid(self):
        self.till.tear("2 torn mix 7")
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.wait_at_the_reader()
        self.book_elsewhere()
        self.page.panel("failed")
        self.page.see("Payment failed", "The payment was voided; nothing was charged.")
        self.assertNotIn("Operation", self.page.text())
        self.assertEqual(self.till.done("pay"), [])
        self.page.press("Back")
        self.page.see("Amount due")

    def test_what_another_station_has_resolved_is_paid(self):
        self.till.tear(WHOLE)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.wait_at_the_reader()
        self.book_elsewhere()
        self.page.panel("done")
        self.page.see("Paid")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_a_reconnection_does_not_end_the_search_for_an_outcome(self):
        self.till.tear(WHOLE)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.wait_at_the_reader()
        # Does what the page does when its event stream is back and the server has nothing running.
        self.page.driver.execute_async_script(
            "const [done] = arguments; import('/tasks.js').then(({ reconcile }) =>"
            " done(reconcile([])))")
        self.book_elsewhere()
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def book_elsewhere(self):
        """Reads the card at another station with the same ledger and keys."""
        data = f"{self.till.home}/.local/share/tapcard/simulated"
        other = {"HOME": f"{self.till.home}/other"}
        os.makedirs(f"{other['HOME']}/.local/share/tapcard/simulated", mode=0o700)
        for name in ("simulation.txt", "keys.json"):
            shutil.copy(f"{data}/{name}", f"{other['HOME']}/.local/share/tapcard/simulated")
        self.till.run("sim", "put", self.uid, **other)
        self.till.run("read", "--ledger", f"{data}/ledger.sqlite", **other)

    def test_another_card_is_not_taken_for_it(self):
        self.till.tear(WHOLE)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.wait_at_the_reader()
        self.till.put("NTAG213")
        self.page.see("That is a different card. Tap the first one again.")
        self.assertEqual(self.page.count(".moment.unknown"), 1)
        self.till.take()
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_what_is_left_open_is_resolved_when_the_card_lies_there_again(self):
        self.till.tear(WHOLE)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.wait_at_the_reader()
        self.page.press("Next customer")
        self.page.see("Tap a card")
        self.assertEqual(self.page.count(".panel"), 0)
        self.wait_for_end()
        self.till.put(self.uid)
        self.page.see("$17.50")
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        self.assertOnePayment(sent=2)

    def test_a_card_pulled_before_the_first_write_has_paid_nothing(self):
        self.till.tear("1 lost")
        self.page.take("$2.50")
        self.page.wait("document.querySelector('.moment.unknown, .moment.failed')")
        self.assertEqual(self.page.count(".due.done"), 0)
        self.assertEqual(self.till.done("pay"), [])


class LostServerTests(FaultCase):
    loses_server = True

    def test_a_server_that_dies_while_a_card_is_waited_for_has_paid_nothing(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.server.kill()
        self.page.see("Reconnecting", "Checking whether the request went through")
        self.assertEqual(self.page.count(".due.done"), 0)
        self.till.start()
        self.assertNotCharged()

    def test_a_reloaded_page_does_not_ask_for_a_card_for_what_the_server_died_with(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.server.kill()
        self.page.see("Reconnecting")
        self.till.start()
        self.page.driver.refresh()
        self.assertNotCharged()

    def assertNotCharged(self):
        """The next card may be a stranger's, so it is not charged without a press."""
        self.page.panel("failed")
        self.page.see("Payment failed", "The server has no record of this; nothing was done.")
        self.till.put(self.uid)
        self.page.press("Back")
        self.page.see("$20.00")
        self.assertEqual(self.till.done("pay"), [])
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"])

    def test_a_server_that_dies_in_a_payment_claims_nothing_and_pays_once(self):
        # The server dies during the write, like a machine that is unplugged.
        self.till.run("sim", "tear", "4", "killed-after")
        self.page.take("$2.50")
        self.page.see("Reconnecting")
        self.assertEqual(self.page.count(".due.done"), 0)
        self.till.server.kill()
        self.till.start()
        self.till.put(self.uid)
        self.page.panel("done")
        self.page.see("$17.50 left")
        self.assertEqual(len({each["operation"] for each in self.payments()}), 1)
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        self.assertAudited()

    def test_a_reloaded_page_does_not_lose_sight_of_its_payment(self):
        self.till.tear(WHOLE)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.page.driver.refresh()
        self.page.panel("unknown")
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_a_stale_token_is_renewed_and_the_payment_sent_again_as_the_same(self):
        self.page.see("Amanda Gonzalez")
        self.page.driver.execute_script("""
            const send = window.fetch;
            window.fetch = (path, options) => {
              if (!String(path).endsWith("/pay")) return send(path, options);
              window.fetch = send;
              const headers = { ...options.headers, Authorization: "Bearer stale" };
              return send(path, { ...options, headers });
            };""")
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertOnePayment(sent=2)
        self.assertEqual(self.till.done("pay"), ["-1.00"])

    def test_a_stale_token_is_renewed_before_the_payment(self):
        self.till.server.stop()
        self.page.see("Reconnecting")
        self.till.start()
        self.page.see_no("Reconnecting")
        self.page.see("Amanda Gonzalez")
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertOnePayment(sent=1)
        self.assertEqual(self.till.done("pay"), ["-1.00"])


class TwoTabsTests(FaultCase):
    def setUp(self):
        super().setUp()
        self.first = self.page.driver.current_window_handle
        self.second = self.open_tab()
        self.page.open()
        self.page.see("Amanda Gonzalez")

    def test_each_tab_sees_what_the_other_does_and_takes_it_for_nothing_of_its_own(self):
        self.till.take()
        self.page.see("Tap a card")
        self.turn_to(self.first)
        self.page.take("$1.00")
        self.page.panel("waiting")
        self.turn_to(self.second)
        self.page.see("Another page, Payment, waiting")
        self.assertEqual(self.page.count(".panel"), 0)
        self.page.go("home")
        self.page.take("$5.00")
        self.page.panel("waiting")
        self.turn_to(self.first)
        self.page.see("Another page is charging at this till.")
        self.till.put(self.uid)
        self.turn_to(self.second)
        self.page.panel("done")
        self.page.see("$15.00 left")
        self.turn_to(self.first)
        self.page.see("$15.00")
        self.assertEqual(self.page.count(".due.paid"), 0)
        self.assertEqual(self.till.done("pay"), ["-5.00"])

    def test_closing_the_tab_that_waits_frees_the_reader(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.go("home")
        self.page.take("$5.00")
        self.page.panel("waiting")
        self.page.driver.get("about:blank")
        self.turn_to(self.first)
        self.page.see_no("Another page, Payment, waiting")
        self.page.take("$1.00")
        self.page.panel("waiting")
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"])
