"""Scratching takes two seconds that can be interrupted, and is then final."""

from selenium.webdriver.common.action_chains import ActionChains

from case import BrowserCase


class ScratchTests(BrowserCase):
    # One test reads the card while there is no server.
    loses_server = True

    def setUp(self):
        super().setUp()
        self.till.make_demo()
        self.page.open()
        self.page.press("Scratch")
        self.field = self.page.find("Scratch-off area", "canvas")
        self.page.come_to_rest(self.field)

    def rub(self):
        ActionChains(self.page.driver).move_to_element_with_offset(self.field, -100, 0) \
            .click_and_hold().move_by_offset(60, 20).move_by_offset(60, -20).release().perform()

    def begun(self):
        self.page.wait("document.querySelector('.bar.runs')")

    def state(self):
        return self.till.read()["state"]

    def test_rubbing_reveals_the_code_that_is_on_the_card_once_it_is_there(self):
        self.rub()
        self.begun()
        self.assertEqual(self.page.count(".ticket code"), 0)
        self.page.see("Code revealed and saved on the card")
        code = self.page.script("return document.querySelector('.ticket code').innerText")
        read = self.till.read()
        self.assertEqual((read["code"], read["state"]), (code, "scratched"))
        self.page.press("Back")
        self.page.see("Code revealed", code)
        self.assertFalse(self.page.can_press("Scratch"))
        self.assertAudited()

    def test_the_keyboard_does_the_same(self):
        self.page.script("arguments[0].focus()", self.field)
        self.page.keys(" ")
        self.page.see("Code revealed and saved on the card")
        self.assertEqual(self.state(), "scratched")

    def test_leaving_the_view_leaves_the_card_unscratched(self):
        self.rub()
        self.begun()
        self.page.press("Go back without scratching")
        self.page.see("Canceled. The code is still hidden.", "Code hidden")
        self.assertEqual(self.state(), "unscratched")
        self.page.press("Scratch")
        self.page.press("Reveal code")
        self.page.see("Code revealed and saved on the card")
        self.assertEqual(self.state(), "scratched")

    def test_closing_the_page_leaves_the_card_unscratched(self):
        self.rub()
        self.begun()
        self.page.driver.get("about:blank")
        self.page.open()
        self.page.see("Code hidden")
        self.till.server.stop()
        self.assertEqual(self.till.run("read")["state"], "unscratched")
        self.assertEqual(self.till.run("audit")["violations"], [])
        kinds = [each["kind"] for each in self.till.run("history")["entries"]
                 if each["state"] == "committed"]
        self.assertNotIn("scratch", kinds)
        self.till.start()
