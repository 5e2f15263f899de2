// The client for the server's API: the token, timeouts, and a new session once the old one has
// ended.

import { confirmed, question, toast } from "./notices.js";
import { change, draft, HERE, isAtTill, isRemote, setDraft, state } from "./store.js";
import { READER_STEPS, refusals, steps } from "./steps.js";
import { say } from "./strings.js";
import { DECLINED } from "./ui.js";
import { withShown } from "./words.js";

/** A session at a till on another machine is valid only there. */
const STORAGE_KEY = isRemote(HERE) ? `tapcard.session.${HERE}` : "tapcard.session";
/** The path of the server's API, and the path of this till's API. */
const ROOT = "/api/v1/";
export const API = HERE ? `/tills/${HERE}${ROOT}` : ROOT;
/**
 * The server's tills share its settings, and index.html preloads them from the same address. A till
 * that does not exist has no API.
 */
const addressOf = (path) => (path === "settings" || !isAtTill() ? ROOT : API) + path;
const ANSWER_LIMIT = 10_000;
/** An operation may wait 30 s for a card. After this limit, the page asks the server about it. */
export const OPERATION_LIMIT = 45_000;

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** A refusal: what happened, what it means, and what to do. `detail` joins all three. */
export class Problem extends Error {
  constructor(told, status = 0) {
    const { error = "failed", result = "failed", uid = null, resolved = [], next = [] } = told;
    // For an untrusted card, only the server's sentence contains the ID of the open operation.
    const operation = told.operation ?? ID.exec(told.title)?.[0] ?? null;
    const [title, meaning, advice] = textsOf(error, told);
    const detail = [title, meaning, advice].filter(Boolean).join(" ");
    super(detail);
    const isReaderGone = told.isReaderGone ?? next.some(({ step }) => READER_STEPS.includes(step));
    // If the outcome is unknown, only the reason for a next step shows that the card was the wrong
    // one.
    const isWrongCard = told.isWrongCard
      ?? [error, ...next.map(({ because }) => because)].includes("wrong-card");
    Object.assign(this, {
      status, error, result, uid, operation, resolved, next, title, meaning, advice, detail,
      isReaderGone, isWrongCard,
    });
  }
}

/** Text that cashiers should not see: an operation ID, a setting, a command, or a flag. */
const INTERNAL = new RegExp("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|TAPCARD_|(?:^| )--[a-z]|apt-get"
  + "|\\btapcard (?!cards?\\b|takes|makes|uses|knows|has|does|can|reads|writes|only)[a-z]");

/** The server's sentences, except those meant for operators. */
const plainly = (text) => withShown(text)
  .replace(/ \([^()]*\)/g, (aside) => (INTERNAL.test(aside) ? "" : aside))
  .split(/(?<=[.!?]) /).filter((sentence) => !INTERNAL.test(sentence)).join(" ");

/** What happened, what it means, and what to do, in the page's own words if there are any. */
function textsOf(error, { title = "", meaning = "", next = [] }) {
  const [happened, instead] = next.map(({ step }) => refusals[`${error} ${step}`]).find(Boolean)
    ?? refusals[error] ?? [];
  const { named, plain } = say.refused;
  return [happened ?? (plainly(title) || (title && (named[error] ?? plain))), plainly(meaning),
    instead ?? next.map(textOfStep).filter(Boolean).join(" ")];
}

function textOfStep(it) {
  const words = steps[it.step];
  return typeof words === "function" ? words(it) : words;
}

/** The problem in a response that still has content, in sentences for cashiers. */
export function problemOf({ message, next = [] }) {
  const told = plainly(message);
  const steps = next.map(textOfStep).filter((words) => words && !told.includes(words));
  return [told, ...steps].join(" ");
}

/** Returns a card or reader with its problem, if any, turned into a Problem. */
export const withProblem = (it) =>
  (it?.problem ? { ...it, problem: new Problem(it.problem, it.problem.status) } : it);

let cut = new AbortController();

/** Aborts all requests in progress; their responses are lost. */
export function cutOff() {
  cut.abort();
  cut = new AbortController();
}

/** The problem when the server sent no usable response, so that the outcome is unknown. */
const lost = (title = say.link.lost) => new Problem({
  error: "lost", result: "lost", title, meaning: say.link.lostDetail,
});

export async function call(method, path, body, limit = ANSWER_LIMIT) {
  const token = state.session?.token;
  try {
    return await once(method, path, body, limit);
  } catch (problem) {
    // Don't retry a request with an operation ID: tasks.js restarts it after the confirmation.
    if (!body?.operation && await isConfirmed(problem, method === "GET")) {
      return once(method, path, body, limit);
    }
    if (problem.status !== 401) throw problem;
    // Another call may have opened a new session in the meantime.
    if (state.session?.token === token || renewing) await renew();
    if (!state.session) throw problem;
    return once(method, path, body, limit);
  }
}

/** Whether the server has refused this page's confirmation of an address. */
let isOperatorNeeded = false;

/**
 * Asks the user to confirm the address after a `confirm-address` refusal, or tells them that only
 * the operator can; returns whether the address is now confirmed. If `isOnce` is true (for a GET
 * that draws a view), it asks once per view, and never while another dialog is open.
 */
export async function isConfirmed({ next }, isOnce = false) {
  const { setting, address } = next.find(({ step }) => step === "confirm-address") ?? {};
  if (!address || (isOnce && (state.dialog || draft(DECLINED, false)))) return false;
  const words = say.unconfirmed;
  const title = words.title(new URL(address).host);
  try {
    if (isOperatorNeeded || state.settings.login === "password") {
      await question(title, [address, words.operator], [[null, say.close]]);
    } else if (await confirmed(title, [address, words.line], words.action, "")) {
      await once("POST", "settings", { setting, address });
      return true;
    }
  } catch (problem) {
    // A server that other machines can reach does not accept confirmations from a page.
    isOperatorNeeded = problem.error === "operator-needed";
    toast(problem.detail, "bad");
  }
  setDraft(DECLINED, true);
  return false;
}

async function once(method, path, body, limit = ANSWER_LIMIT) {
  const headers = {};
  if (state.session) headers.Authorization = `Bearer ${state.session.token}`;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  let document;
  try {
    response = await fetch(addressOf(path), {
      method, headers, body: body && JSON.stringify(body),
      signal: AbortSignal.any([AbortSignal.timeout(limit), cut.signal]),
    });
    document = response.status === 204 ? {} : JSON.parse(await response.text());
  } catch {
    // A truncated response also counts as lost, but the server may have done what was requested.
    throw lost(response && say.link.badAnswer(response.status));
  }
  if (response.ok) return document;
  if (!document?.error) throw lost(say.link.badAnswer(response.status));
  // Only the server with the till's reader knows; this page asks again.
  if (document.error === "reader-elsewhere") throw lost(document.title);
  throw new Problem(document, response.status);
}

let renewing = null;

/** Opens an anonymous session if that is enough; otherwise, shows the login instead of the view. */
export function renew() {
  renewing ??= newSession().finally(() => { renewing = null; });
  return renewing;
}

async function newSession() {
  sessionStorage.removeItem(STORAGE_KEY);
  change({ session: null, needsLogin: state.settings.login === "password" });
  if (!state.needsLogin) await logIn({});
}

// The token is stored for this tab, so that the cashier need not log in again after a reload.
export async function logIn(who) {
  const session = await once("POST", "session", who);
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));
  change({ session, rights: session, needsLogin: false });
}

/** Records that a second person consents to one call about a card. */
export const consent = (who, verb, subject) =>
  once("POST", "consent", { ...who, call: verb, subject });

export async function logOut() {
  await call("DELETE", "session");
  await renew();
}

export const loadSettings = async () => change({ settings: await once("GET", "settings") });

/**
 * Opens or resumes this tab's session. `isDoubtful` means that the server refused this tab's
 * stream.
 */
export async function openSession(isDoubtful) {
  const kept = sessionStorage.getItem(STORAGE_KEY);
  // While the user chooses a till, no call would reveal that the token is from before the server
  // was restarted.
  const isUnchecked = isDoubtful || !isAtTill();
  if (!kept || (isUnchecked && state.settings.login === "none")) await renew();
  else {
    const session = JSON.parse(kept);
    change({ session, rights: session, needsLogin: false });
  }
  if (!isDoubtful || !state.session || !isAtTill()) return;
  await call("GET", "card");
  // The stream uses a cookie that all tabs share, and another tab may have logged out.
  if (!await isShown()) await renew();
}

const isShown = async () => {
  const { status } = await fetch(addressOf("card"), { signal: AbortSignal.timeout(ANSWER_LIMIT) });
  return status !== 401;
};

/** Loads a view's data into state.data[name]. The previous data stays until then. */
export async function load(name, path) {
  const before = state.data[name];
  const keep = (entry) => change({ data: { ...state.data, [name]: { path, ...entry } } });
  const value = before?.path === path ? before.value : null;
  keep({ value, isLoading: true });
  let next;
  try {
    next = { value: await call("GET", path) };
  } catch (problem) {
    next = { value, problem };
  }
  // A slow response must not replace the data from a newer request.
  if (state.data[name].path === path) keep(next);
}
