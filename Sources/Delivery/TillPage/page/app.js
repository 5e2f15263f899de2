// The entry point: the route selects the view, and the store provides its data.

import { activate, activationNote } from "./activate.js";
import { logIn, logOut } from "./api.js";
import { add, home, leaveAdd } from "./till.js";
import { readerProblem, tillChip, tillName, tills } from "./tills.js";
import { cards, issue } from "./cards.js";
import "./customer-display.js";
import { h, icon, patch } from "./dom.js";
import { inspectControls } from "./guard.js";
import { health } from "./health.js";
import { history } from "./history.js";
import { connect, disconnect } from "./live.js";
import { draws } from "./lottery.js";
import { manageTills } from "./manage-tills.js";
import { mastermind } from "./mastermind.js";
import { announce, clearTagMessages, renderDialog, renderToasts, toast } from "./notices.js";
import { productsView } from "./products.js";
import { printerBanner } from "./receipt.js";
import { mayView, seesAllHistory } from "./roles.js";
import { reports } from "./reports.js";
import { scratch } from "./scratch.js";
import { shiftView } from "./shift.js";
import { loadTags, renderSimulator } from "./simulator.js";
import { usesService } from "./offers.js";
import { soundButton } from "./sounds.js";
import { leavePanel, closeWhenCardRemoved, renderPanel } from "./panel.js";
import {
  change, draft, discardDrafts, discardViewDrafts, isAtTill, onChange, setDraft,
  panelTask, state,
} from "./store.js";
import { say } from "./strings.js";
import { leaveTickets, tickets } from "./tickets.js";
import {
  button, field, form, heading, link, passwordField, problemBox, submit, typed,
} from "./ui.js";
import { offlineWords, shown, uidWords } from "./words.js";

const views = {
  home, add, scratch, activate, issue, draws, tickets, mastermind, history, cards, health,
  tills, "manage-tills": manageTills, products: productsView, reports, shift: shiftView,
};
const PART_OF = {
  add: "home", scratch: "home", activate: "home", tickets: "draws", issue: "cards",
  products: "home", shift: "home", reports: "history", "manage-tills": "health",
};
const lost = { title: say.missing, render: () => [heading(say.missing), link(say.back, "#/home")] };
/** The view for a route; if the page is not at a till, the view for choosing one. */
const viewOf = (route) => (!isAtTill() ? tills : (mayView(route) && views[route.name]) || lost);
const at = (id) => document.getElementById(id);

function routeOf(hash) {
  const [name, arg] = hash.replace(/^#\//, "").split("/");
  let decoded = arg;
  try {
    decoded = decodeURIComponent(arg ?? "");
  } catch {
    // The argument is malformed; it is passed on as it is, and the server explains what is wrong.
  }
  return { name: name || "home", arg: decoded || null };
}

function look() {
  if (state.session) viewOf(state.route).enter?.(state.route.arg);
}

function go() {
  const [before, route] = [state.route, routeOf(location.hash)];
  const isOther = viewOf(before) !== viewOf(route);
  if (panelTask()) leavePanel(panelTask());
  if (isOther) {
    viewOf(before).leave?.();
    discardViewDrafts();
    customer = state.card?.read?.uid ?? null;
  }
  change({ route });
  look();
  // This is done after rendering, so that screen readers continue at the new view's heading.
  setTimeout(() => {
    if (!isOther) return;
    at("title")?.focus();
    scrollTo(0, 0);
  });
}

async function logInTyped() {
  setDraft("login.problem", null);
  try {
    await logIn({ cashier: typed("cashier"), password: draft("password") });
    connect();
  } catch (problem) {
    setDraft("login.problem", problem);
    announce(problem.detail, true);
  }
  // Whether or not the login worked, a password must not stay on a shared screen.
  setDraft("password", "");
}

async function logOutAndClose() {
  try {
    await logOut();
    disconnect();
  } catch (problem) {
    toast(problem.detail, "bad");
  }
}

const login = () => [
  heading(say.login.action, say.login.lead),
  draft("login.problem") && problemBox(draft("login.problem")),
  form(logInTyped, h("div.form",
    field("cashier", say.login.cashier, { autocomplete: "username" }),
    passwordField("password", say.login.password), submit(say.login.action))),
];

/**
 * The banner that says if the ledger is offline, how much can be paid, and what is not booked yet.
 */
function offlineBanner({ offline, offered, left, payments, unbooked }) {
  const words = say.offlinePayments;
  const rest = payments > 0 && words.unbooked(shown(unbooked));
  if (!offline && !rest) return null;
  const first = offline && offlineWords({ offered, left });
  return h("div.banner.warn", icon("info"),
    h("p", [first, rest].filter(Boolean).join(" ")));
}

function banner({ link: connection, reader, route, offlinePayments }) {
  const isLost = connection === "lost";
  if (!isLost && reader?.state !== "missing") {
    return (offlinePayments && offlineBanner(offlinePayments)) || printerBanner(state);
  }
  const { title, meaning, advice } = (reader && readerProblem(reader))
    ?? { title: `${say.reader.missing}.`, meaning: say.reader.why };
  return h("div.banner", { class: isLost ? "bad" : "warn" }, icon("warn"),
    h("p", h("strong", isLost ? say.link.lost : title), " ",
      isLost ? say.link.banner : advice || meaning),
    !isLost && route.name !== "health" && link(say.reader.details, "#/health"));
}

/** Other tabs' operations, on a line of fixed height so that no button moves under a finger. */
const others = (s) => [
  activationNote(s),
  s.isArmedElsewhere && h("span", { key: "armed" },
    [say.another, say.verbs.pay[0], say.phases.waiting].join(", ")),
  Object.entries(s.others).map(([id, { verb, phase, uid }]) => h("span", { key: id },
    [say.another, say.verbs[verb]?.[0] ?? verb, uid && say.cardWords(uidWords(uid)),
      say.phases[phase] ?? say.phases.working].filter(Boolean).join(", "))),
];

function status(s) {
  const reader = (s.link === "live" && s.reader?.state) || "looking";
  const cashier = s.session?.cashier;
  const isFollowing = s.link !== "closed" && s.link !== "choosing";
  return [
    tillChip(s),
    isFollowing && h("span.chip.reader", { class: reader }, h("i"), say.reader[reader]),
    s.session && soundButton(),
    cashier && h("span.chip.quiet", icon("person"), say.login.as(cashier)),
    cashier && button(say.login.out, logOutAndClose),
  ];
}

let drawn = "";

/** Whether index.html's own content can stay, because it is correct until the server responds. */
const isShellCorrect = (s) => !drawn && s.route.name === "home" && s.link === "connecting"
  && !s.needsLogin;

function render(s) {
  if (isShellCorrect(s)) return;
  const view = viewOf(s.route);
  const inPanel = panelTask();
  const isHere = isAtTill();
  const kind = s.needsLogin ? "login" : !isHere ? "tills" : inPanel ? "panel" : s.route.name;
  const hadFocus = document.activeElement !== document.body;
  patch(at("status"), status(s));
  patch(at("others"), others(s));
  patch(at("banner"), banner(s));
  patch(at("main"), h("div.view", { key: kind, class: `in-${kind}` },
    s.needsLogin ? login() : inPanel && isHere ? renderPanel(inPanel) : view.render(s)));
  at("nav").hidden = !isHere;
  for (const link of document.querySelectorAll("#nav [data-service]")) {
    link.hidden = !usesService(link.dataset.service);
  }
  patch(at("toasts"), renderToasts(s));
  patch(at("dock"), renderSimulator(s));
  patch(at("dialogs"), renderDialog(s));
  const title = s.needsLogin ? say.login.action : view.title;
  document.title = [title, tillName(), say.brand]
    .filter(Boolean).join(" \u2013 ");
  const part = PART_OF[s.route.name] ?? s.route.name;
  for (const each of document.querySelectorAll("#nav a")) {
    each.ariaCurrent = each.dataset.part === part ? "page" : null;
    if (each.dataset.part === "history") each.hidden = !seesAllHistory();
  }
  // If the pressed button or the panel is gone, screen readers continue at the heading.
  const isLost = document.activeElement === document.body;
  if (isLost && (hadFocus || (drawn === "panel" && kind !== drawn))) {
    at("title")?.focus({ preventScroll: true });
  }
  if (kind === "panel" && kind !== drawn) scrollTo(0, 0);
  drawn = kind;
  inspectControls();
}

/** The session of the tag on the reader and, once the tag has been read, its number. */
let tag = { session: null, uid: null };
/** The last card that was read in this view. */
let customer = null;

/** When the next card arrives, clears what was typed, announced, or asked for the last customer. */
function watchTag({ onReader: session, card }) {
  const uid = card?.read?.uid ?? null;
  // A restarted server starts its session numbers over, so the card's number has to match, too.
  const isSame = session === tag.session && (!uid || !tag.uid || uid === tag.uid);
  const hasLeft = !isSame && tag.session !== null;
  tag = { session, uid: isSame ? uid ?? tag.uid : uid };
  // Controls that move money now ignore presses for a moment: see guard.js.
  if (!isSame) change({ visit: state.visit + 1 });
  if (hasLeft) {
    discardDrafts("refund", "cards-accept");
    clearTagMessages();
  }
  if (!uid || uid === customer) return;
  if (customer) {
    leaveAdd();
    if (state.route.name === "tickets") leaveTickets();
  }
  customer = uid;
}

let known = { ended: 0, isOffline: false };

/** Reloads a view's data after an operation in this tab or another one. */
function watch(s) {
  const { ended, session } = s;
  const now = {
    ended, session, reader: s.reader?.state, card: s.card?.session,
    isOffline: Boolean(s.offlinePayments?.offline),
  };
  const before = known;
  known = now;
  const hasEnded = now.ended !== before.ended;
  const view = viewOf(s.route);
  if (!s.session) return;
  if (now.session !== before.session) look();
  else if (hasEnded || now.reader !== before.reader || now.isOffline !== before.isOffline) {
    if (view.refresh) view.refresh();
    else if (hasEnded) view.enter?.(s.route.arg);
  }
  const mayHaveChanged = now.session !== before.session || now.card !== before.card;
  if (s.settings.simulator && mayHaveChanged && isAtTill()) loadTags();
}

function onKey(event) {
  const inPanel = panelTask();
  // A dialog handles its own keys, and key combinations belong to the browser.
  if (state.dialog || event.ctrlKey || event.metaKey || event.altKey) return;
  if (inPanel && event.key === "Escape") leavePanel(inPanel);
  else if (!inPanel && !event.target.matches("input, select")) {
    viewOf(state.route).onKey?.(event);
  }
}

for (const place of document.querySelectorAll("[data-say]")) {
  const said = place.dataset.say.split(".").reduce((words, part) => words[part], say);
  if (place.textContent !== said) place.textContent = said;
}
at("skip").onclick = (event) => {
  event.preventDefault();
  at("main").focus();
};
change({ route: routeOf(location.hash) });
addEventListener("hashchange", go);
addEventListener("keydown", onKey);
// The day's chart depends on the screen's width.
addEventListener("resize", () => change({}));
onChange(render);
onChange(watchTag);
onChange(watch);
onChange(closeWhenCardRemoved);
connect();
