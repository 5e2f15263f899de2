"""Lets schemathesis call a running till in ways that its document allows and in ways that it does
not, and checks the answers against the document.

    schemathesis_client.py ADDRESS EXAMPLES [OPTION...]
    schemathesis_client.py ADDRESS story

EXAMPLES is the number per call; the other options are schemathesis's own. The story makes every
call once, successfully where possible, and checks its answer against the document.
"""

import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import uuid

import jsonschema_rs

# A missing card or a service that refuses is not an error of the server.
CONFIG = """
[auth.openapi.token]
bearer = "%s"

[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "502", "503", "504"]

# No schema says which names have no misleading characters, and a length in bytes; which parameters
# go with which; what is in the drawer, what a fault is, which addresses are built in, and what is a
# language or a message; which prices are too small or large; what a UUID may be.
[[operations]]
include-path = [
    "/api/v1/issue", "/api/v1/mastermind/login", "/api/v1/ticket/claim", "/api/v1/simulator/put",
    "/api/v1/simulator/tear", "/api/v1/settings", "/api/v1/tag/write",
    "/api/v1/consent", "/api/v1/display", "/api/v1/sell",
    "/api/v1/products/add", "/api/v1/products/change", "/api/v1/armed", "/api/v1/find",
    "/api/v1/reports/{report}", "/api/v1/shift", "/api/v1/shift/cash", "/api/v1/shift/open",
    "/api/v1/shift/close", "/api/v1/tills/add", "/api/v1/tills/code", "/api/v1/tills/rename",
    "/api/v1/tills/remove", "/api/v1/tills/confirm",
]

[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "409", "5xx"]
"""


def ask(address, token, method, path, body=None):
    """The status and the JSON of an answer."""
    request = urllib.request.Request(
        address + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=50) as answer:
            text = answer.read()
            is_json = answer.headers["Content-Type"] == "application/json"
            return answer.status, json.loads(text) if is_json else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def story(address, token):
    status, document = ask(address, token, "GET", "api/openapi.json")
    asked = {"GET /api/openapi.json"}
    # Nothing is there to adopt, a fresh card has won nothing, a completed operation cannot be
    # stopped, the address that is set is not the built-in one, no client has a stream, and no
    # receipt printer is set.
    refused = {
        "POST adopt": 409, "POST ticket/claim": 409, "DELETE operations/{id}": 409,
        "POST settings": 409, "POST armed": 409, "POST receipt": 400,
    }

    def call(method, path, body=None, **named):
        template = path
        for name, value in named.items():
            path = path.replace("{%s}" % name, value)
        status, answer = ask(address, token, method, path[1:], body)
        asked.add(f"{method} {template}")
        responses = document["paths"][template][method.lower()]["responses"]
        if str(status) not in responses:
            sys.exit(f"{method} {path}: {status} is not in the document: {answer}")
        if status >= 400:
            schema = {"$ref": "#/components/schemas/Problem"}
        else:
            content = responses[str(status)].get("content", {})
            schema = content.get("application/json", {}).get("schema")
        if schema is not None:
            schema = dict(schema, components=document["components"])
            for error in jsonschema_rs.Draft202012Validator(schema).iter_errors(answer):
                sys.exit(f"{method} {path}: {error}\n{answer}")
        wanted = refused.get(f"{method} {template.removeprefix('/api/v1/')}", 0)
        if status >= 300 and status != wanted:
            sys.exit(f"{method} {path}: {status} {answer}")
        return answer

    def get(path, **named):
        return call("GET", "/api/v1/" + path, **named)

    def post(path, **body):
        return call("POST", "/api/v1/" + path, body)

    payment = str(uuid.uuid4())
    for path in ["settings", "card", "health", "doctor", "simulator", "draws", "tickets"]:
        get(path)
    call("GET", "/metrics")
    first = post("read")["uid"]
    post("tag/info")
    post("add", amount="20")
    post("pay", amount="4.50", operation=payment)
    get("armed")
    post("armed", operation=str(uuid.uuid4()), client=str(uuid.uuid4()), amount="1.00")
    call("DELETE", "/api/v1/armed")
    get("operations/{id}", id=payment)
    call("DELETE", "/api/v1/operations/{id}", id=payment)
    post("refund", payment=payment, amount="1.00")
    get("receipt/{of}", of=payment)
    post("receipt", of=payment)
    post("products/add", name="Coffee", price="3.50", color="orange")
    post("products/change", product="Coffee", price="3.80")
    coffee = get("products")["products"][0]
    line = {"product": coffee["id"], "name": "Coffee", "price": "3.80", "quantity": 2}
    post("sell", lines=[line], rest={"tender": "cash", "amount": "1.00"}, again=True)
    sold = post("sell", lines=[line], tender="cash", given="20.00")
    post("refund", payment=sold["operation"])
    shift = post("shift/open", float="100.00")["shift"]["id"]
    post("shift/cash", direction="in", amount="5.00", reason="Change")
    get("shift")
    post("shift/close", shift=shift, counted="105.00")
    get("shifts")
    post("products/retire", product="Coffee")
    post("tills/add", name="Bar", trusted=True)
    post("tills/code", name="Bar")
    post("tills/rename", name="Bar", new="Inn")
    post("tills/confirm", name="Inn")
    get("tills")
    post("tills/remove", name="Inn")
    post("scratch")
    post("activate")
    get("draws/{id}", id="draw-1")
    for report in ["days", "products", "outstanding", "refunds"]:
        get("reports/{report}", report=report)
    get("find")
    post("ticket/buy")
    post("ticket/check")
    post("ticket/claim")
    get("tickets")
    post("mastermind/start", slots=1, keep=True)
    post("mastermind/guess", colors=[1])
    post("mastermind/resume")
    get("mastermind/ranking")
    get("mastermind/game")
    post("block")
    post("unblock")
    post("repair")
    post("forget")
    post("adopt")
    post("simulator/tear", fault="3 torn old")
    get("simulator")
    post("simulator/tear", fault=None)
    post("simulator/take")
    post("simulator/put", tags=["NTAG215"])
    post("replace", card=first)
    post("close")
    post("demo", reissue=True)
    post("simulator/put", tags=["NTAG213"])
    post("tag/write", url="https://example.com/{uid}", text="Shelf", lang="de",
         mime={"type": "text/plain", "base64": "aGk="})
    post("tag/read")
    post("issue", name="Berta", balance="5", overwrite=True)
    for path in ["history", "takings", "audit", "card"]:
        get(path)
    post("mastermind/login", user="amanda", password="sandbox")
    post("settings", setting="activation-url", address="https://api.o2.sk")
    call("POST", "/api/v1/session", {})
    post("consent", cashier="Ann", password="sesame-open", call="replace", subject=first)
    post("display", lines=[{"name": "Coffee", "quantity": 2, "price": "7.00"}], sum="7.00")
    call("DELETE", "/api/v1/session")
    known = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    # These calls never end.
    left = known - asked - {f"GET /api/v1/{path}" for path in ("events", "taps", "display/events")}
    if left:
        sys.exit(f"never asked for: {sorted(left)}")


def main(address, examples, *options):
    token = ask(address, "", "POST", "api/v1/session", {})[1]["token"]
    login = {"user": "amanda", "password": "sandbox"}
    ask(address, token, "POST", "api/v1/mastermind/login", login)
    if examples == "story":
        return story(address, token)
    with tempfile.TemporaryDirectory() as folder:
        config = folder + "/schemathesis.toml"
        with open(config, "w") as file:
            file.write(CONFIG % token)
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", config, "run"]
        command += [address + "api/openapi.json", "--seed", "1", "--max-examples", examples]
        command += ["--phases", "coverage,fuzzing", "--generation-database", "none"]
        command += ["--suppress-health-check", "all", "--request-timeout", "50", "--no-color"]
        # The first two never end, and the third invalidates the token.
        command += ["--exclude-path", "/api/v1/events", "--exclude-path", "/api/v1/taps"]
        command += ["--exclude-path", "/api/v1/display/events"]
        command += ["--exclude-operation-id", "deleteSession"]
        # A temporary folder, so that nothing is left behind.
        return subprocess.run(command + list(options), cwd=folder).returncode


sys.exit(main(*sys.argv[1:]))
