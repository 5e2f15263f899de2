"""Mastermind against the sandbox, played with keys and buttons."""

from itertools import product

from selenium.webdriver.common.keys import Keys

from case import BrowserCase

COLOURS = range(1, 7)


def pegs(guess, code):
    black = sum(one == other for one, other in zip(guess, code))
    common = sum(min(guess.count(each), code.count(each)) for each in COLOURS)
    return black, common - black


class LoggedInTests(BrowserCase):
    sandbox = True

    def test_a_login_of_the_command_line_is_one_of_the_page(self):
        self.till.run("mastermind", "login", "amanda",
                         TAPCARD_MASTERMIND_PASSWORD=self.till.sandbox.password)
        self.page.open("mastermind")
        self.page.see("Logged in as amanda.")
        self.assertFalse(self.page.can_press("Log in"))
        self.page.press("Start game")
        self.page.see("Your guess")


class MastermindTests(BrowserCase):
    sandbox = True

    def setUp(self):
        super().setUp()
        self.page.open("mastermind")
        self.page.type("User name", "amanda")
        self.page.type("Password", "wrong")
        self.page.press("Log in")
        self.page.see("password")
        self.page.type("Password", self.till.sandbox.password)
        self.page.press("Log in")
        self.page.see("Logged in as amanda.")

    def game(self):
        return self.till.call("GET", "mastermind/game")["game"]

    def turns(self):
        return self.till.call("GET", "mastermind/game")["turns"]

    def begun(self):
        self.page.wait("document.querySelector('.editor')")

    def test_a_game_is_solved_on_the_keys_and_stands_in_the_ranking(self):
        self.page.field("Code length").send_keys("2")
        self.page.press("Start game")
        self.begun()
        self.page.script("document.activeElement.blur()")
        left = list(product(COLOURS, repeat=2))
        for number in range(1, len(left) + 1):
            guess = left[0]
            self.page.keys(*map(str, guess), Keys.ENTER)
            self.page.wait("document.querySelectorAll('.turns li').length === arguments[0]", number)
            told = self.turns()[-1]
            self.assertEqual(told["guess"], list(guess))
            self.page.see(f"{told['black']} right place, {told['white']} wrong place")
            if told["black"] == 2:
                break
            left = [code for code in left if pegs(guess, code) == (told["black"], told["white"])]
        self.page.see("Solved in 1 guess." if number == 1 else f"Solved in {number} guesses.")
        self.page.press("Rankings")
        self.page.see("amanda")
        self.page.press("3")
        self.page.see("No results yet.")

    def test_a_guess_is_made_and_taken_back_by_buttons(self):
        self.page.press("Start game")
        self.begun()
        for color in ("1 red", "2 blue", "3 yellow", "4 green"):
            self.page.press(color)
        self.page.press("Remove last")
        self.page.wait("document.querySelectorAll('.place .c0').length === 1")
        self.assertFalse(self.page.can_press("Guess"))
        self.page.press("6 white")
        self.page.press("Guess")
        self.page.see("Guess 1")
        self.assertEqual(self.turns()[0]["guess"], [1, 2, 3, 6])

    def test_a_game_is_kept_on_a_card_and_resumed_from_it(self):
        self.till.make_demo()
        self.page.field("Save the game to a card").click()
        self.page.press("Start game")
        self.begun()
        kept = self.till.read()["game"]
        self.assertEqual(kept, self.game())
        for color in ("1 red", "2 blue", "3 yellow", "4 green"):
            self.page.press(color)
        self.page.press("Guess")
        self.page.see("Guess 1")
        self.page.field("Save the game to a card").click()
        self.page.press("Start game")
        self.page.see_no("Guess 1")
        self.assertNotEqual(self.game(), kept)
        self.page.press("Resume from a card")
        self.page.see("Guess 1")
        self.assertEqual(self.game(), kept)

    def test_a_place_is_chosen_before_its_color_and_the_tabs_lead_there_and_back(self):
        self.page.press("Start game")
        self.begun()
        self.page.press("Position 3: empty")
        self.page.press("5 violet")
        self.page.find("Position 3: violet")
        self.page.find("Position 1: empty")
        self.page.press("Rankings")
        self.page.see("No results yet.")
        self.page.press("4")
        self.page.press("Any length")
        self.page.wait("document.querySelector('.choice [aria-pressed=true]').innerText === 'Any length'")
        self.page.press("Board")
        self.page.find("Position 3: violet")
