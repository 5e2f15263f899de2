"""Amounts as they are written in other currencies and languages."""

from case import BrowserCase
from till import ROOT

# Changes what the server says about the currency.
SETTINGS = """
const send = window.fetch;
window.fetch = async (path, options) => {
  const answer = await send(path, options);
  if (!String(path).endsWith("/settings")) return answer;
  return new Response(JSON.stringify({ ...await answer.json(), ...%s }));
};
"""
AMERICAN = '{ decimalSeparator: "." }'
CZECH = '{ decimalSeparator: ",", presets: { add: ["200.00", "500.00"] } }'
JAPANESE = '{ decimalSeparator: ".", presets: { add: ["1000", "5000"] } }'
# Records what is requested, and refuses it.
NOTED = """
const send = window.fetch;
window.noted = [];
window.fetch = (path, options) => {
  if (!String(path).endsWith("/pay")) return send(path, options);
  noted.push(JSON.parse(options.body).amount);
  return Promise.resolve(new Response(JSON.stringify({
    status: 409, error: "card-blocked", result: "refused", title: "The card is blocked.",
  }), { status: 409 }));
};
"""


class CurrencyCase(BrowserCase):
    told = AMERICAN

    def setUp(self):
        super().setUp()
        driver = self.page.driver
        added = driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": SETTINGS % self.told})
        self.addCleanup(driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

    def assertAccepted(self, text, amount):
        self.page.type_amount(text)
        self.page.press("Charge")
        self.page.panel("done")
        self.assertEqual(self.till.done("pay"), [amount])

    def assertShown(self, keys, amount):
        self.page.type_amount(keys)
        self.page.wait("document.querySelector('#due')?.textContent === arguments[0]", amount)


class CommaTests(CurrencyCase):
    settings = {"TAPCARD_CURRENCY": "CZK"}
    told = CZECH

    def test_a_comma_is_accepted_where_the_currency_uses_one(self):
        self.till.make_demo("500.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.assertShown("4,505", "K\u010d 4,50")
        self.assertShown("450", "K\u010d 4,50")
        self.assertAccepted("12,50", "-12.50")

    def test_the_whole_page_has_one_notation(self):
        self.till.make_demo("1500.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez", "K\u010d 1\u00a0500,00")
        self.page.take("20,00")
        self.page.panel("done")
        self.page.see("K\u010d 1\u00a0480,00 left")
        self.assertShown("148000", "K\u010d 1\u00a0480,00")

    def test_an_opening_balance_takes_one_as_well(self):
        self.page.open("issue")
        self.page.type("Starting balance (cash received)", "12,0")
        self.page.press("Issue card")
        self.page.panel("done")
        self.assertEqual(self.till.read()["balance"], "12.00")


class LanguageTests(CurrencyCase):
    def test_a_comma_is_accepted_where_the_language_uses_one(self):
        agent = self.page.script("return navigator.userAgent")
        self.addCleanup(self.speak, agent, "en-GB")
        self.speak(agent, "de-DE")
        self.till.make_demo("20.00")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.assertAccepted("4,50", "-4.50")

    def speak(self, agent, language):
        self.page.driver.execute_cdp_cmd(
            "Network.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})

class RuleTests(CurrencyCase):
    """The page parses points and commas like the command line and the API."""
    told = "{}"

    def test_each_text_is_the_same_amount_for_all_of_them(self):
        with open(f"{ROOT}/fixtures/amounts.txt", encoding="utf-8") as file:
            lines = [line.split() for line in file if not line.startswith("#")]
        self.page.open("home")
        read = self.page.driver.execute_async_script("""
          const [lines, done] = arguments;
          const of = {
            USD: [2, "."], CZK: [2, ","], JPY: [0, "."], KWD: [3, "."],
          };
          Promise.all([import("/store.js"), import("/words.js")]).then(([store, words]) => {
            const { settings } = store.state;
            done(lines.map(([currency, text]) => {
              const [decimals, decimalSeparator] = of[currency];
              store.change({ settings: { ...settings, currency, decimals, decimalSeparator } });
              store.setDraft("tried", text);
              return words.fault(text) ? "-"
                : String(words.minorUnits(words.typedAmount("tried")));
            }));
          });
        """, lines)
        for (currency, text, units), found in zip(lines, read):
            with self.subTest(currency=currency, text=text):
                # Only the page accepts amounts with both grouped thousands and decimals.
                if not {",", "."} <= set(text):
                    self.assertEqual(found, units)


class WholeUnitTests(CurrencyCase):
    settings = {"TAPCARD_CURRENCY": "JPY"}
    told = JAPANESE

    def test_a_currency_without_decimals_has_amounts_of_its_own(self):
        self.till.make_demo("5000")
        self.page.open("home")
        self.page.see("Amanda Gonzalez", "\u00a55,000")
        self.assertShown("4.50", "\u00a5450")
        self.assertAccepted("450", "-450")


class ThreeDecimalTests(CurrencyCase):
    settings = {"TAPCARD_CURRENCY": "KWD"}
    told = "{}"

    def test_the_last_three_digits_are_decimals(self):
        self.till.make_demo("5.000")
        self.page.open("home")
        self.page.see("Amanda Gonzalez")
        self.assertAccepted("1250", "-1.250")
