"""A page of another origin, which hears taps and writes tags with a token: Examples/WebPage."""

import functools
import http.server
import threading

from browser import browser
from case import BrowserCase
from till import ROOT


class Site:
    """Another web server on this machine. Its pages have another origin than the till."""

    def __init__(self):
        handler = functools.partial(QuietHandler, directory=f"{ROOT}/Examples/WebPage")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class OtherOriginCase(BrowserCase):
    allows = True

    def setUp(self):
        self.site = Site()
        self.addCleanup(self.site.close)
        if self.allows:
            self.options = ("--allow-origin", self.site.origin)
        super().setUp()

    def is_own(self, url):
        return url.startswith(f"{self.site.origin}/") or super().is_own(url)

    def is_expected(self, complaint):
        # The browser says why it lets no page read an answer, and that there is no icon.
        return (self.site.origin in complaint or "favicon" in complaint
                or super().is_expected(complaint))

    def token(self, right="tags", origin=None, name="webpage"):
        return self.till.run("tokens", "add", name, "--may", right,
                             "--origin", origin or self.site.origin)["token"]

    def connect(self, token):
        self.page.driver.get(f"{self.site.origin}/")
        self.page.type("Server", self.till.url)
        self.page.type("Token", token)
        self.page.press("Connect")


class AllowedOriginTests(OtherOriginCase):
    def test_a_page_hears_taps_and_writes_a_link(self):
        self.till.put("NTAG215")
        self.connect(self.token())
        self.page.see("arrived · ")
        self.page.press("Write to a tag")
        self.page.see("Written to 04")
        uid = next(tag["uid"] for tag in self.till.tags() if tag["onReader"])
        self.assertIn(f"https://example.com/{uid}", self.till.call("POST", "tag/read", {}).__str__())
        self.till.take()
        self.page.see(f"departed · {uid}")
        self.till.put(uid)
        self.page.see(f"arrived · {uid} · https://example.com/{uid}")

    def test_a_revoked_token_ends_the_stream(self):
        self.connect(self.token())
        self.page.see("Hold a tag to the reader.")
        self.till.run("tokens", "revoke", "webpage")
        self.page.see("The server ended the connection.")
        self.page.press("Connect")
        self.page.see("This API token is unknown, has expired, or was revoked.")

    def test_a_token_of_another_right_or_origin_is_refused_and_the_page_reads_why(self):
        self.connect(self.token("watch"))
        self.page.see("Hold a tag to the reader.")
        self.page.press("Write to a tag")
        self.page.see("This API token does not allow this call.")
        self.connect(self.token(origin="https://other.example", name="other"))
        self.page.see("This API token belongs to other web pages or programs.")

    def test_other_calls_fail_even_with_a_token_and_cookies_are_not_sent(self):
        token = self.token()
        self.till.make_demo("5.00")
        self.page.open()
        self.page.see("Amanda Gonzalez")
        self.connect(token)
        self.page.see("Hold a tag to the reader.")
        for path, body, mode in [
                ("pay", '{"amount":"1.00"}', "cors"), ("card", None, "cors"),
                ("events", None, "cors"), ("pay", '{"amount":"1.00"}', "no-cors"),
                ("tag/read", "{}", "no-cors")]:
            with self.subTest(path, mode=mode):
                self.assertIn(self.fetch(path, body, token, mode), ["failed", "opaque"])
        # A page that asks for cookies to be sent gets no answer at all.
        self.assertEqual(self.fetch("tag/read", "{}", token, "cors", "include"), "failed")
        self.assertEqual(self.till.done("pay"), [])

    def fetch(self, path, body, token, mode, credentials="same-origin"):
        return self.page.driver.execute_async_script("""
            const [url, body, token, mode, credentials, done] = arguments;
            const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
            fetch(url, { method: body ? "POST" : "GET", body, headers, mode, credentials })
              .then((answer) => done(answer.type === "opaque" ? "opaque" : `${answer.status}`),
                () => done("failed"));
        """, f"{self.till.url}/api/v1/{path}", body, token, mode, credentials)


class ClosedOriginTests(OtherOriginCase):
    allows = False

    def test_without_the_setting_no_page_of_another_origin_reads_anything(self):
        self.connect(self.token())
        self.page.see("Failed to fetch")
