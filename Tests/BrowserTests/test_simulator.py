"""The simulated reader, played from the page itself."""

from case import BrowserCase


class SimulatorTests(BrowserCase):
    def test_tags_and_faults_at_hand(self):
        self.page.open()
        self.page.press("Take off")
        self.page.see("Hold a card to the reader")
        self.page.press("Put on")
        self.page.see("Blank tag")
        self.page.press("Simulated reader")
        self.page.press("New NTAG215")
        self.page.wait("document.querySelectorAll('.sim-body li').length === 2")
        self.assertEqual([tag["onReader"] for tag in self.till.tags()], [False, True])
        self.page.press(f"Put on {self.till.tags()[0]['uid']}")
        self.page.wait("document.querySelector('.sim-body li strong')")
        self.assertEqual([tag["onReader"] for tag in self.till.tags()], [True, False])
        for name, fault in (("Torn, bits mixed", "write 2 torn mix 7"),
                            ("Pulled after it", "write 1 pulled-after"),
                            ("Answer lost", "write 1 acknowledge-lost")):
            self.page.press(name)
            self.page.see(f"Armed: {fault}")
        self.page.press("Torn, old page stays")
        self.page.see("Armed: write 1 torn old")
        self.assertEqual(self.till.call("GET", "simulator")["fault"], "write 1 torn old")
        self.page.press("Disarm")
        self.page.see_no("Armed:")
        self.page.type("Fault", "3 torn mix 7")
        self.page.press("Arm")
        self.page.see("Armed: write 3 torn mix 7")
        self.page.type("Fault", "nonsense")
        self.page.press("Arm")
        self.page.wait("document.querySelector('.toast.bad')")
        self.assertEqual(self.till.call("GET", "simulator")["fault"], "write 3 torn mix 7")

    def test_a_chip_with_commands_has_no_pages_that_tear(self):
        self.page.open()
        self.page.press("Simulated reader")
        self.page.see("Torn, old page stays", "Only the maker can sign a chip")
        self.page.press("New NTAG424")
        self.page.see("Torn, nothing written", "Torn, all written")
        self.assertNotIn("page stays", self.page.text())
        self.page.press("Torn, nothing written")
        self.page.see("Armed: write 1 torn old")
        self.page.press("Torn, all written")
        self.page.see("Armed: write 1 torn new")
