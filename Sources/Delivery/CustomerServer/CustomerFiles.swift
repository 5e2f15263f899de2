/// The style sheet and the script of the customer page. They are small enough to be part of every
/// response, so that a phone makes only one request.
enum CustomerFiles {
    static let style = """
        :root { color-scheme: light dark; --paper: #f1eee6; --panel: #fffdf8; --ink: #1b211f;
          --soft: #55605b; --line: #d8d3c6; --accent: #0b6456; --on: #fff; --warn: #7d4a00;
          --warn-tint: #fcefcf; --good: #1a6b39; }
        @media (prefers-color-scheme: dark) { :root { --paper: #121615; --panel: #1c2220;
          --ink: #edf1ee; --soft: #a8b4ae; --line: #323c38; --accent: #62d2bd; --on: #04211c;
          --warn: #f5c667; --warn-tint: #362a10; --good: #74d796; } }
        *, ::before, ::after { box-sizing: border-box; }
        body { margin: 0; min-height: 100dvh; background: var(--paper); color: var(--ink);
          font: 1.0625rem/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums; overflow-wrap: anywhere; padding: min(1rem, 5vw); }
        main { max-width: 30rem; margin: 0 auto; padding: min(1.25rem, 6vw); border-radius: 1.25rem;
          background: var(--panel); border: 1px solid var(--line); }
        h1, h2, p, ul { margin: 0 0 .75rem; padding: 0; }
        h1 { font-size: 1.6rem; line-height: 1.2; }
        h1:focus { outline: 0; }
        h1:has(small) { font-size: min(2.6rem, 11vw); letter-spacing: -.02em; }
        h1:has(small), li b { white-space: nowrap; }
        h1 small { display: block; font-size: 1rem; font-weight: 600; letter-spacing: 0;
          color: var(--soft); }
        h2 { font-size: 1.1rem; margin-top: 1.5rem; }
        small, .as-of, .hint { color: var(--soft); }
        small, .hint { font-size: .9rem; }
        .note { padding: .75rem 1rem; border-radius: .75rem; background: var(--warn-tint);
          color: var(--warn); font-weight: 600; }
        ul { list-style: none; }
        li { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .6rem 0;
          border-top: 1px solid var(--line); }
        li span { flex: 1 1 6rem; }
        li small { flex-basis: 100%; }
        button { width: 100%; min-height: 52px; border: 0; border-radius: .9rem; font: inherit;
          font-weight: 700; background: var(--accent); color: var(--on); cursor: pointer; }
        button:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
        [aria-busy] button { display: none; }
        [role=status]:empty { display: none; }
        """

    /// Presses the button once the user sees the page, not when the browser preloads it. Shows
    /// times in the phone's time zone and in the till page's format.
    static let script = """
        const main = () => document.querySelector("main");
        const moment = new Intl.DateTimeFormat("en-GB",
          { dateStyle: "medium", timeStyle: "short" });
        const showTimes = () => {
          for (const time of document.querySelectorAll("time")) {
            time.textContent = moment.format(new Date(time.dateTime));
          }
        };
        const ask = async (form) => {
          const status = form.querySelector("[role=status]");
          form.setAttribute("aria-busy", "true");
          status.textContent = status.dataset.asking;
          try {
            const answer = await fetch(form.action,
              { method: "POST", body: new URLSearchParams(new FormData(form)) });
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            const next = page.querySelector("main");
            // Without a `main` element, the page came from another server, such as a proxy.
            if (!next) throw new TypeError("not a page from this server");
            main().replaceWith(next);
            document.title = page.title;
            begin();
            main().querySelector("h1").focus();
          } catch {
            form.removeAttribute("aria-busy");
            status.textContent = status.dataset.noAnswer;
          }
        };
        const begin = () => {
          showTimes();
          const form = document.querySelector("form");
          form?.addEventListener("submit", (event) => {
            event.preventDefault();
            ask(form);
          });
          if (form && "autoSubmit" in form.dataset) ask(form);
        };
        const whenSeen = () => {
          if (document.prerendering) {
            document.addEventListener("prerenderingchange", whenSeen, { once: true });
          } else if (document.visibilityState === "hidden") {
            document.addEventListener("visibilitychange", whenSeen, { once: true });
          } else begin();
        };
        whenSeen();
        """
}
