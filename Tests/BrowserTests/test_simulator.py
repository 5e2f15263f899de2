"""The simulated reader, used from the page itself."""

from case import BrowserCase


class SimulatorTests(BrowserCase):
    def test_tags_and_faults_at_hand(self):
        self.page.open()
        self.page.press("Remove")
        self.page.see("Tap a card")
        self.page.press("Put on reader")
        self.page.see("Blank tag")
        self.page.press("Simulated reader")
        self.page.press("New NTAG215")
        self.page.wait("document.querySelectorAll('.sim-body li').length === 2")
        self.assertEqual([tag["onReader"] for tag in self.till.tags()], [False, True])
        self.page.press(f"Put on reader {self.till.tags()[0]['uid']}")
        self.page.wait("document.querySelector('.sim-body li strong')")
        self.assertEqual([tag["onReader"] for tag in self.till.tags()], [True, False])
        for name, fault in (("2nd write: mixed bits", "write 2 torn mix 7"),
                            ("Removed after 1st write", "write 1 pulled-after"),
                            ("1st write: response lost", "write 1 acknowledge-lost")):
            self.page.press(name)
            self.page.see(f"Fault set: {fault}")
        self.page.press("1st write: old content")
        self.page.see("Fault set: write 1 torn old")
        self.assertEqual(self.till.call("GET", "simulator")["fault"], "write 1 torn old")
        self.page.press("Clear")
        self.page.see_no("Fault set:")
        self.page.type("Fault", "3 torn mix 7")
        self.page.press("Set")
        self.page.see("Fault set: write 3 torn mix 7")
        self.page.type("Fault", "nonsense")
        self.page.press("Set")
        self.page.wait("document.querySelector('.toast.bad')")
        self.assertEqual(self.till.call("GET", "simulator")["fault"], "write 3 torn mix 7")

    def test_a_chip_with_commands_has_no_pages_that_tear(self):
        self.page.open()
        self.page.press("Simulated reader")
        self.page.see("1st write: old content", "Only the manufacturer can sign a chip")
        self.page.press("New NTAG424")
        self.page.see("Not written", "Written, then interrupted")
        self.assertNotIn("old content", self.page.text())
        self.page.press("Not written")
        self.page.see("Fault set: write 1 torn old")
        self.page.press("Written, then interrupted")
        self.page.see("Fault set: write 1 torn new")
