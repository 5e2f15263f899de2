"""The page with the real libnfc and an emulated PN532, and without any reader."""

from case import BrowserCase

# The number of frames to the card since it was put down.
WITHIN_THE_WRITING = 6


class EmulatedReaderTests(BrowserCase):
    reader = "emulated"

    def test_one_whole_story(self):
        self.page.open()
        self.page.see("Blank tag")
        self.page.press("Make demo card")
        self.page.panel("done")
        self.page.leave_check()
        self.page.see("Amanda Gonzalez")
        self.page.press("Top-up")
        self.page.take("$20.00")
        self.page.panel("done")
        self.page.leave_check()
        self.till.remove()
        self.page.see("Tap a card")
        self.page.go("home")
        self.page.take("$2.50")
        self.page.panel("waiting")
        self.till.present()
        self.page.panel("done")
        self.page.see("$17.50 left")
        self.page.leave_check()
        self.till.emulator.tell("fault write 4 pulled-after")
        # The card was put there for a payment and is still there, so another tap on the screen
        # does not charge it.
        self.page.press("Charge again")
        self.page.take("$5.00")
        self.page.panel("unknown")
        self.till.emulator.tell("present")
        self.page.panel("done")
        self.page.see("$12.50 left")
        self.page.leave_check()
        self.page.go("scratch")
        self.page.press("Reveal code")
        self.page.see("Code revealed and saved on the card")
        self.assertEqual(sorted(self.till.done("pay")), ["-2.50", "-5.00"])
        self.assertAudited()
        self.assertFalse(self.page.can_press("Simulated reader"))

    def test_a_reader_that_is_pulled_out_is_told_and_found_again(self):
        self.till.make_demo("5.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.till.emulator.tell("unplug")
        self.page.see("No reader", "See details")
        self.assertFalse(self.page.can_press("$1.00"))
        self.till.emulator.tell("plug")
        self.page.see("Reader ready", "Amanda Gonzalez")
        self.page.take("$1.00")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), ["-1.00"])

    def wait_for_a_card(self):
        self.till.make_demo("5.00")
        self.till.remove()
        self.page.open("home")
        self.page.see("Tap a card")
        self.page.take("$1.00")
        self.page.panel("waiting")

    def test_a_reader_that_is_pulled_out_while_a_card_is_waited_for_has_paid_nothing(self):
        self.wait_for_a_card()
        self.till.emulator.tell("unplug")
        self.page.see("The reader was disconnected. Press Charge to try again.")
        self.till.emulator.tell("plug")
        self.page.see("Reader ready")
        self.assertEqual(self.till.done("pay"), [])

    def test_a_reader_that_is_pulled_out_in_a_payment_leaves_it_to_the_next_tap(self):
        self.wait_for_a_card()
        self.till.emulator.tell(f"fault data {WITHIN_THE_WRITING} unplug")
        self.till.present()
        self.page.panel("unknown")
        self.page.see("Outcome unknown, $1.00", "No reader")
        self.till.emulator.tell("plug")
        self.page.wait("document.querySelector('.due.done, .moment.failed')")
        isPaid = self.page.count(".due.done") == 1
        self.assertEqual(self.till.done("pay"), ["-1.00"] if isPaid else [])
        self.assertAudited()


class NoReaderTests(BrowserCase):
    reader = "pn532_uart:/dev/null/nothing"

    def test_what_the_doctor_says_is_shown(self):
        self.page.open(until="No reader")
        self.page.press("See details")
        self.page.see("Diagnostics", "Problem:")
        said = self.till.run("doctor")["findings"]
        self.page.see(*[each["what"] for each in said if each["severity"] == "problem"])
        self.assertFalse(self.page.can_press("Balance"))
        self.page.press("Audit the ledger")
        self.page.see("No problems found. Checked")
