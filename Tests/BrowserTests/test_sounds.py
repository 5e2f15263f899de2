"""Sounds for outcomes."""

from case import BrowserCase

# Tones that were started, by their frequency.
LISTEN = """
window.tones = [];
const { start } = AudioScheduledSourceNode.prototype;
AudioScheduledSourceNode.prototype.start = function (...given) {
  tones.push(this.frequency.value);
  return start.apply(this, given);
};
"""
BLOCKED = "Allow sounds"


class SoundTests(BrowserCase):
    def setUp(self):
        super().setUp()
        self.till.make_demo("5.00")
        self.page.open()
        self.page.script(LISTEN)

    def pay(self, amount, outcome):
        self.page.go("home")
        self.page.take(amount)
        self.page.panel(outcome)
        self.page.leave_check()

    def tones(self):
        return self.page.script("return tones.splice(0)")

    def test_the_page_says_that_the_browser_blocks_sounds_until_a_press(self):
        self.page.press(BLOCKED)
        self.page.find("Turn sounds off")

    def test_done_and_refused_sound_different_and_can_be_turned_off(self):
        self.page.press(BLOCKED)
        self.page.find("Turn sounds off")
        self.pay("$1.00", "done")
        done = self.tones()
        self.assertEqual(len(done), 2)
        self.till.put_again()
        self.page.go("home")
        self.page.take("$10.00")
        self.page.panel("failed")
        refused = self.tones()
        self.assertEqual(len(refused), 1)
        self.assertNotEqual(done[0], refused[0])
        self.page.press("Turn sounds off")
        self.page.go("home")
        self.page.driver.refresh()
        self.page.see("Reader ready")
        self.page.script(LISTEN)
        self.till.put_again()
        self.pay("$1.00", "done")
        self.assertEqual(self.tones(), [])
        self.page.press("Turn sounds on")
        self.page.find("Turn sounds off")
