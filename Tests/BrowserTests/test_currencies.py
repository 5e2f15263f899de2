"""Amounts as they are written where the currency, or the language, is another one."""

from case import BrowserCase

# What the server says of the currency.
SETTINGS = """
const send = window.fetch;
window.fetch = async (path, options) => {
  const answer = await send(path, options);
  if (!String(path).endsWith("/settings")) return answer;
  return new Response(JSON.stringify({ ...await answer.json(), ...%s }));
};
"""
AMERICAN = '{ decimalSeparator: "." }'
CZECH = '{ decimalSeparator: ",", presets: { pay: ["20.00", "49.50"], add: ["200.00", "500.00"] } }'
JAPANESE = '{ decimalSeparator: ".", presets: { pay: ["100", "500"], add: ["1000", "5000"] } }'


class CurrencyCase(BrowserCase):
    told = AMERICAN

    def setUp(self):
        super().setUp()
        driver = self.page.driver
        added = driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": SETTINGS % self.told})
        self.addCleanup(driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

    def placeholder(self, label):
        return self.page.script("return arguments[0].placeholder", self.page.field(label))

    def assertAccepted(self, text, amount):
        self.page.type("Another amount", text)
        self.page.press("Take")
        self.page.stage("done")
        self.assertEqual(self.counter.done("pay"), [amount])

    def assertRefused(self, text, words):
        self.page.type("Another amount", text)
        self.page.press("Take")
        self.page.see(words)


class CommaTests(CurrencyCase):
    settings = {"TAPCARD_CURRENCY": "CZK"}
    told = CZECH

    def test_a_comma_is_accepted_where_the_currency_uses_one(self):
        self.counter.make_demo("500.00")
        self.page.open("pay")
        self.page.see("Amanda Gonzalez")
        self.assertEqual(self.placeholder("Another amount"), "49,50")
        self.assertRefused("4,505", "too precise")
        self.assertRefused("1.234,50", "is not an amount; write it like 4,50")
        self.assertAccepted("12,50", "-12.50")

    def test_funds_to_begin_with_take_one_as_well(self):
        self.page.open("issue")
        self.page.type("Funds to begin with, paid in cash", "12,5")
        self.page.press("Issue it")
        self.page.stage("done")
        self.assertEqual(self.counter.read()["balance"], "12.50")


class LanguageTests(CurrencyCase):
    def test_a_comma_is_accepted_where_the_language_uses_one(self):
        agent = self.page.script("return navigator.userAgent")
        self.addCleanup(self.speak, agent, "en-GB")
        self.speak(agent, "de-DE")
        self.counter.make_demo("20.00")
        self.page.open("pay")
        self.page.see("Amanda Gonzalez")
        self.assertEqual(self.placeholder("Another amount"), "2,50")
        self.assertAccepted("4,50", "-4.50")

    def speak(self, agent, language):
        self.page.driver.execute_cdp_cmd(
            "Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})

    def test_nowhere_else(self):
        self.counter.make_demo("20.00")
        self.page.open("pay")
        self.page.see("Amanda Gonzalez")
        self.assertEqual(self.placeholder("Another amount"), "2.50")
        self.assertRefused("4,50", "write 4.50")


class WholeUnitTests(CurrencyCase):
    settings = {"TAPCARD_CURRENCY": "JPY"}
    told = JAPANESE

    def test_a_currency_without_decimals_has_amounts_of_its_own(self):
        self.counter.make_demo("5000")
        self.page.open("pay")
        self.page.see("Amanda Gonzalez", "\u00a5100", "\u00a5500")
        self.assertEqual(self.placeholder("Another amount"), "500")
        self.assertRefused("4.50", "JPY has no decimals")
        self.assertRefused("x", "write it like 450")
        self.assertAccepted("450", "-450")
