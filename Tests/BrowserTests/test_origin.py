"""Tests the API from a page with another origin, Examples/WebPage."""

import functools
import http.server
import threading

from browser import browser
from case import BrowserCase
from till import ROOT


class Site:
    """A second web server on this machine. Its pages have a different origin from the till's."""

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
        # Browsers log blocked cross-origin responses and the missing favicon.
        return (self.site.origin in complaint or "favicon" in complaint
                or complaint.endswith("net::ERR_FAILED") or super().is_expected(complaint))

    def token(self, right="tags", origin=None, name="webpage"):
        return self.till.run("tokens", "add", name, "--may", right,
                             "--origin", origin or self.site.origin)["token"]

    def connect(self, token):
        self.page.driver.get(f"{self.site.origin}/")
        for label, text in ("Server", self.till.url), ("Token", token):
            self.page.field(label).clear()
            self.page.type(label, text)
        self.page.press("Connect")


class AllowedOriginTests(OtherOriginCase):
    def test_a_page_receives_taps_and_writes_a_link(self):
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

    def test_a_page_can_read_why_its_token_was_refused(self):
        self.connect(self.token("watch"))
        self.page.see("Hold a tag to the reader.")
        self.page.press("Write to a tag")
        self.page.see("This API token does not allow this call.")
        self.connect(self.token(origin="https://other.example", name="other"))
        self.page.see("This API token is not for this web page or program.")

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
        # The browser blocks requests with cookies, because the server never allows them.
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

    def test_without_allow_origin_other_origins_are_refused(self):
        self.connect(self.token())
        self.page.see("Failed to fetch")
