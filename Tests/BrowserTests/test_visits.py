"""One charge per visit, whatever happens to the page and the server, and a server that hangs."""

import signal

from case import BrowserCase
from test_same_card import AGAIN

PAID = "Already paid"
PERHAPS = "This card may already have been charged"
# Resets what the page knows about the card, as if the news had not arrived yet.
FORGET = """
const [done] = arguments;
import("/store.js").then(({ change }) => { change({ served: {} }); done(); });
"""
# Puts the page's timer for a silent server under the test's control.
CLOCK = """
const later = window.setTimeout;
window.setTimeout = (act, pause, ...rest) => {
  if (act.name !== "giveUp") return later(act, pause, ...rest);
  window.silence = { act, pause };
  return 0;
};
"""


class VisitCase(BrowserCase):
    loses_server = True

    def setUp(self):
        super().setUp()
        self.uid = self.till.make_demo("20.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")

    def pay(self):
        self.page.take("$2.50")
        self.page.panel("done")
        self.page.leave_check()

    def assertAsked(self, words=PAID):
        self.page.see(words, AGAIN)


class VisitTests(VisitCase):
    def test_a_reload_does_not_make_it_another_card(self):
        self.pay()
        self.assertAsked()
        self.page.driver.refresh()
        self.assertAsked()
        self.page.type_amount("2.50")
        self.page.press(AGAIN)
        self.page.panel("done")
        self.assertAsked()
        self.assertEqual(self.till.done("pay"), ["-2.50"] * 2)

    def test_neither_does_a_new_tab(self):
        self.pay()
        self.open_tab()
        self.page.open("home")
        self.assertAsked()

    def test_nor_a_server_that_was_started_again(self):
        self.pay()
        self.till.server.kill()
        self.page.see("Reconnecting")
        self.till.start()
        self.assertAsked(PERHAPS)
        self.page.type_amount("2.50")
        self.page.press(AGAIN)
        self.page.panel("done")
        self.assertAsked()
        self.till.take()
        self.page.see("Tap a card")
        self.till.put(self.uid)
        self.page.see("$15.00")
        self.pay()
        self.assertEqual(self.till.done("pay"), ["-2.50"] * 3)

    def test_a_card_that_had_nothing_is_not_asked_about_after_a_restart(self):
        self.till.server.kill()
        self.page.see("Reconnecting")
        self.till.start()
        self.page.see("Reader ready", "Amanda Gonzalez")
        self.pay()
        self.assertEqual(self.till.done("pay"), ["-2.50"])

    def test_of_two_browsers_one_charges_the_card(self):
        self.pay()
        self.assertAsked()
        self.page.driver.execute_async_script(FORGET)
        self.page.take("$2.50")
        self.page.see("Charge $2.50 again?", "This card has just paid",
                      "Nothing was charged.")
        self.page.press("Cancel")
        self.page.wait("!document.querySelector('dialog')")
        self.assertAsked()
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        self.page.driver.execute_async_script(FORGET)
        self.page.take("$2.50")
        self.page.press("Yes, do it again")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-2.50"] * 2)


class HangingServerTests(VisitCase):
    def hang(self):
        self.till.server.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.go_on)

    def go_on(self):
        self.till.server.process.send_signal(signal.SIGCONT)

    def test_it_is_shown_and_so_is_its_return(self):
        self.hang()
        self.page.see("Reconnecting", "Connecting")
        self.assertNotIn("Reader ready", self.page.text())
        self.go_on()
        self.page.see("Reader ready", "Amanda Gonzalez")
        self.page.see_no("Reconnecting")

    def test_it_is_shown_within_ten_seconds(self):
        self.page.script(CLOCK)
        pause = self.page.wait("window.silence?.pause")
        self.assertLessEqual(pause, 10_000)
        self.hang()
        self.page.script("window.silence.act()")
        self.page.see("Reconnecting", "Connecting")

    def test_a_payment_does_not_ask_to_keep_the_card_there(self):
        self.hang()
        self.page.take("$2.50")
        self.page.see("Reconnecting", "Connection lost. Checking")
        self.assertNotIn("Keep the card on the reader", self.page.text())
        self.go_on()
        # The payment reached the server or it did not, and the page shows which.
        self.page.wait("document.querySelector('.due.done, .moment.failed')"
                       " || !document.querySelector('.moment')")
        isPaid = self.page.count(".due.done") == 1
        self.assertEqual(self.till.done("pay"), ["-2.50"] if isPaid else [])
        self.assertAudited()
