"""A refused question says nothing about the operation that it asked about."""

import threading
import uuid

from till import Refused
from proxy import Proxy
from test_cashiers import LOGIN, PASSWORD
from test_faults import WHOLE, FaultCase

# Answers in place of the server to the next request for this place; without a status, nothing
# answers.
INSTEAD = """
const [place, status, text] = arguments;
const send = window.fetch;
window.fetch = (path, options) => {
  if (!String(path).includes(place)) return send(path, options);
  window.fetch = send;
  window.instead = place;
  return status ? Promise.resolve(new Response(text, { status })) : Promise.reject(new TypeError());
};
"""
# Does the same, but after the server has carried out the request.
BEHIND = INSTEAD.replace("  window.fetch = send;", "  window.fetch = send;\n  send(path, options);")
# Does the same, but refuses every payment until `fetch` is restored.
REFUSING = """
const [text] = arguments;
window.sending = window.fetch;
window.fetch = (path, options) => (String(path).endsWith("/pay")
  ? Promise.resolve(new Response(text, { status: 409 })) : sending(path, options));
"""
HTML = "<html><body><h1>Bad Gateway</h1></body></html>"
REFUSALS = [
    (401, "stale-token"), (409, "reader-taken"), (429, "too-many-attempts"), (500, "failed"),
    (503, "closing"), (503, "starting"),
]


def refusal(status, word):
    return f'''{{"status": {status}, "error": "{word}", "result": "refused",
        "title": "It was {word}.", "meaning": "Nothing new was started."}}'''


class AnswerCase(FaultCase):
    loses_server = True

    def assertPaidOnce(self):
        self.assertEqual(len({each["operation"] for each in self.payments()}), 1)
        self.assertEqual(self.till.done("pay"), ["-2.50"])
        self.assertAudited()

    def wait_for_a_card(self):
        self.till.take()
        self.page.see("Tap a card")
        self.page.take("$2.50")
        self.page.panel("waiting")

    def leave_open(self):
        """Leaves a payment without anybody knowing whether it is on the card."""
        self.till.tear(WHOLE)
        self.page.take("$2.50")
        self.page.panel("unknown")
        self.wait_at_the_reader()

    def stop_waiting(self):
        """Stops the request that waits for its card, after which the page sends it again."""
        # The wait ends with the answer that the payment may have happened before.
        with self.assertRaises(Refused):
            self.till.call("DELETE", f"operations/{self.payments()[0]['operation']}")


class QuestionTests(AnswerCase):
    def test_a_refused_question_is_no_outcome(self):
        before = self.till.done("add")
        self.till.take()
        self.page.see("Tap a card")
        self.page.go("add")
        for status, word in REFUSALS:
            with self.subTest(word):
                self.page.script(INSTEAD, "/operations/", status, refusal(status, word))
                self.page.script(BEHIND, "/add", 0, None)
                self.page.take("$2.50")
                self.page.wait("window.instead === '/operations/'")
                self.page.panel("waiting")
                self.page.press("Cancel")
                self.page.wait("!document.querySelector('.panel')")
                self.assertEqual(self.page.count(".toast"), 1)
        self.assertEqual(self.till.done("add"), before)

    def test_an_answer_of_somebody_elses_is_none(self):
        before = self.till.done("add")
        self.till.take()
        self.page.see("Tap a card")
        self.page.go("add")
        self.page.script(BEHIND, "/add", 502, HTML)
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertEqual(sorted(self.till.done("add")), sorted([*before, "2.50"]))
        self.assertAudited()

    def test_an_empty_answer_is_none(self):
        self.page.script(INSTEAD, "/pay", 200, "")
        self.page.take("$2.50")
        # The server has never heard of the payment, so it is not begun without a press.
        self.page.panel("failed")
        self.page.see("Payment failed", "The server has no record of this; nothing was done.")
        self.page.press("Back")
        self.page.see("$20.00")
        self.assertEqual(self.till.done("pay"), [])


class RepetitionTests(AnswerCase):
    def test_a_refused_repetition_is_no_outcome(self):
        self.leave_open()
        for status, word in REFUSALS:
            if status == 401:
                continue
            with self.subTest(word):
                self.page.script(INSTEAD, "/pay", status, refusal(status, word))
                self.stop_waiting()
                self.page.see(f"It was {word}.")
                self.assertEqual(self.page.count(".moment.unknown"), 1)
                self.assertNotIn("Nothing new was started", self.page.text())
                self.wait_at_the_reader()
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertPaidOnce()

    def test_a_repetition_without_a_ledger_is_no_outcome(self):
        self.leave_open()
        failed = refusal(500, "ledger-unavailable").replace("refused", "ledger")
        ended = f'{{"operation": "{self.payments()[0]["operation"]}", "phase": "failed", "problem": {failed}}}'
        self.page.script(INSTEAD, "/operations/", 200, ended)
        self.page.script(INSTEAD, "/pay", 500, failed)
        self.stop_waiting()
        self.page.see("It was ledger-unavailable.")
        self.page.driver.refresh()
        self.page.panel("unknown")
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertPaidOnce()

    def test_where_the_reader_is_taken_it_is_asked_for_again_later(self):
        self.leave_open()
        self.page.script(REFUSING, refusal(409, "reader-taken"))
        self.stop_waiting()
        self.page.see("It was reader-taken.")
        other = str(uuid.uuid4())
        adding = threading.Thread(target=self.add_one, args=(other,))
        adding.start()
        self.page.see("Another page, Top-up, waiting")
        self.page.script("window.fetch = window.sending")
        self.page.see("This reader is busy")
        self.assertEqual(self.page.count(".moment.unknown"), 1)
        self.till.call("DELETE", f"operations/{other}")
        adding.join()
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertPaidOnce()

    def add_one(self, operation):
        with self.assertRaises(Refused):
            self.till.call("POST", "add", {"amount": "1.00", "operation": operation})

    def test_a_repetition_that_is_stopped_is_begun_again(self):
        self.leave_open()
        self.stop_waiting()
        self.wait_at_the_reader()
        self.assertEqual(self.page.count(".moment.unknown"), 1)
        self.assertNotIn("Nothing was charged", self.page.text())
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertPaidOnce()


class SessionTests(AnswerCase):
    """The session ends before the answer is there."""

    def setUp(self):
        super().setUp()
        self.till.add_cashier("Ann", PASSWORD)
        self.page.driver.refresh()
        self.log_in("Ann")
        self.page.see("Amanda Gonzalez")

    def log_in(self, name):
        self.page.see(LOGIN)
        self.page.type("Name", name)
        self.page.type("Password", PASSWORD)
        self.page.press("Log in")
        self.page.see(f"Cashier: {name}")

    def test_a_payment_that_the_server_died_in_is_asked_for_after_the_login(self):
        self.till.run("sim", "tear", "4", "killed-after")
        self.page.take("$2.50")
        self.page.see("Reconnecting")
        self.till.server.kill()
        self.till.start()
        self.log_in("Ann")
        self.assertEqual(self.page.count(".moment.failed"), 0)
        self.till.put(self.uid)
        self.page.panel("done")
        self.page.see("$17.50 left")
        self.assertPaidOnce()

    def test_a_repetition_without_a_session_is_no_outcome(self):
        self.leave_open()
        self.till.add_cashier("Bob", PASSWORD)
        self.till.run("cashiers", "role", "Bob", "owner")
        self.till.run("cashiers", "remove", "Ann")
        self.log_in("Bob")
        self.page.panel("unknown")
        self.till.put(self.uid)
        self.page.panel("done")
        self.assertPaidOnce()


class CutTests(AnswerCase):
    """The network goes away without telling the server."""
    options = ("--listen", "127.0.0.2")

    def setUp(self):
        super().setUp()
        port = int(self.till.url.rpartition(":")[2])
        # Until now, the page was open at the server's own address.
        self.page.requests()
        self.proxy = Proxy(port)
        self.addCleanup(self.proxy.close)
        self.till.url = f"http://127.0.0.1:{port}"
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.till.take()
        self.page.see("Tap a card")

    def cut(self):
        """Cuts the page off until it asks for an operation."""
        self.proxy.keeps_streams_away = True

        # The browser retries some connections on its own.
        def is_asked():
            self.proxy.cut()
            return self.page.script(
                "return window.calls.some(([, path]) => path.includes('/operations/'))")
        self.till.wait("the page asks for its operation", is_asked)
        self.page.see("Reconnecting")

    def top_up_meanwhile(self):
        self.page.go("add")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.cut()
        self.till.put(self.uid)
        self.till.wait("it is topped up", lambda: "2.50" in self.till.done("add"))

    def assertToppedUpOnce(self):
        self.assertEqual(self.till.done("add").count("2.50"), 1)
        self.assertAudited()

    def test_what_was_topped_up_meanwhile_is_shown_when_the_stream_is_back(self):
        self.top_up_meanwhile()
        self.assertEqual(self.page.count(".panel.done"), 0)
        self.proxy.keeps_streams_away = False
        self.page.panel("done")
        self.page.see("Balance $22.50")
        self.assertToppedUpOnce()

    def test_who_cancels_is_told_that_it_was_topped_up(self):
        self.top_up_meanwhile()
        self.page.press("Cancel")
        self.page.panel("done")
        # Nobody tells this page what is on the card now.
        self.page.see("New balance: $22.50")
        self.assertToppedUpOnce()

    def test_an_armed_sale_ends_although_the_server_does_not_notice_the_cut(self):
        self.page.take("$2.50")
        self.till.wait("it is armed", lambda: self.till.call("GET", "armed")["armed"])
        self.cut()
        self.page.see("The server has no record of this; nothing was done.")
        self.till.put(self.uid)
        self.till.wait("the card is read", self.till.read)
        self.till.wait("it is disarmed", lambda: not self.till.call("GET", "armed")["armed"])
        self.assertEqual(self.till.done("pay"), [])
