"""Activation continues when its view is left, and reports its outcome in any view."""

from case import BrowserCase

# The notifications, which nobody sees here.
NOTED = """
window.noted = [];
window.Notification = class extends Notification {
  constructor(title, options) { super(title, options); window.noted.push([title, options.body]); }
};
"""


class ActivationTests(BrowserCase):
    sandbox = True

    def setUp(self):
        super().setUp()
        self.till.make_demo()
        self.till.call("POST", "scratch", {})
        self.page.open()
        self.page.press("Activate")

    def state(self):
        return self.till.read()["state"]

    def test_an_accepted_code_activates_the_card(self):
        self.page.press("Activate code")
        self.page.see("Code activated")
        self.assertEqual(self.state(), "activated")
        self.page.go("home")
        self.page.wait("document.querySelector('.strip.activated')")
        self.page.go("history")
        self.page.see("Activation requests", "active")

    def test_a_refusal_is_a_dialog_that_names_the_version(self):
        self.till.sandbox.name_version("6.1")
        self.page.press("Activate code")
        self.page.see("Activation failed", "6.1")
        self.assertTrue(self.page.script("return document.querySelector('dialog').matches(':modal')"))
        self.page.press("Close")
        self.page.wait("!document.querySelector('dialog')")
        self.assertEqual(self.state(), "scratched")

    def test_it_goes_on_when_its_view_is_left(self):
        self.till.sandbox.hold()
        self.page.press("Activate code")
        self.page.see("You can leave")
        self.page.go("cards")
        self.page.see("Activating")
        self.till.sandbox.go_on()
        self.page.see("Code activated")
        self.assertEqual(self.state(), "activated")
        self.assertEqual(self.page.count("dialog"), 0)

    def test_a_refusal_finds_whoever_has_left(self):
        self.till.sandbox.name_version("6.1")
        self.till.sandbox.hold()
        self.page.press("Activate code")
        self.page.see("You can leave")
        self.page.go("history")
        self.page.press("Activating")
        self.page.see("You can leave")
        self.page.press("History")
        self.till.sandbox.go_on()
        self.page.see("Activation failed", "6.1")
        self.page.press("Close")
        self.page.see("Daily totals, all tills", "rejected, version 6.1")

    def test_a_refusal_finds_whoever_has_reloaded_the_page(self):
        self.till.sandbox.name_version("6.1")
        self.till.sandbox.hold()
        self.page.press("Activate code")
        self.page.see("You can leave")
        self.page.driver.refresh()
        self.page.see("You can leave")
        self.till.sandbox.go_on()
        self.page.see("Activation failed", "6.1")
        self.page.press("Close")
        self.page.see_no("Code activated")
        self.assertEqual(self.state(), "scratched")

    def test_without_an_answer_it_can_be_asked_for_again(self):
        self.till.sandbox.fail("activation:500")
        self.page.press("Activate code")
        self.page.see("Activation not confirmed")
        self.page.press("Close")
        self.till.sandbox.fail("none")
        self.page.go("home")
        self.page.press("Activate")
        self.page.press("Activate code")
        self.page.see("Code activated")
        self.assertEqual(self.state(), "activated")
        self.assertAudited()


class NotificationTests(BrowserCase):
    sandbox = True

    def setUp(self):
        super().setUp()
        self.till.make_demo()
        self.till.call("POST", "scratch", {})
        self.till.sandbox.name_version("6.1")
        self.command("Page.addScriptToEvaluateOnNewDocument", source=NOTED)
        self.page.open("activate")
        self.page.see("Activate code")

    def command(self, name, **members):
        answer = self.page.driver.execute_cdp_cmd(name, members)
        if name.startswith("Page.add"):
            self.addCleanup(self.command, "Page.removeScriptToEvaluateOnNewDocument", **answer)

    def allow(self, setting):
        self.addCleanup(self.command, "Browser.resetPermissions")
        self.command("Browser.setPermission", origin=self.till.url,
                     permission={"name": "notifications"}, setting=setting)

    def fail_elsewhere(self):
        self.till.sandbox.hold()
        self.page.press("Activate code")
        self.page.see("You can leave")
        self.page.press("Health")
        self.till.sandbox.go_on()
        self.page.see("Activation failed")
        self.page.press("Close")

    def test_whoever_allowed_it_is_told_outside_the_page(self):
        self.allow("granted")
        self.page.press("Notify me if it fails")
        self.page.see_no("Notify me if it fails")
        self.fail_elsewhere()
        [(title, body)] = self.page.wait("window.noted.length > 0 && window.noted")
        self.assertEqual(title, "Activation failed")
        self.assertIn("6.1", body)
        self.assertEqual(self.page.count(".toast"), 0)

    def test_where_that_is_denied_it_is_told_in_the_page(self):
        self.allow("denied")
        self.page.driver.refresh()
        self.page.see("Activate code")
        self.assertFalse(self.page.can_press("Notify me if it fails"))
        self.fail_elsewhere()
        self.page.wait("document.querySelector('.toast')?.innerText.includes('6.1')")
        self.assertEqual(self.page.script("return window.noted"), [])
        self.page.press("Close")
        self.page.wait("!document.querySelector('.toast')")
