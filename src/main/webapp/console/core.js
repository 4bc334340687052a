// What every page needs: calls of the REST API, the session, the address bar, and hooks that load and follow.
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "./dom.js";

/** The context root of the application. */
export const ROOT = new URL("../", import.meta.url);

// ---- State that all pages share

const listeners = new Set();
export const shared = { me: null, lost: false, offlineSince: null, said: "", saidAt: null, namespace: "", preferred: 0, generation: 0 };

export function share(changes) {
  Object.assign(shared, changes);
  listeners.forEach((listener) => listener());
}

/** Renders the component again when one of these parts of the shared state is another one. */
export function useShared(...names) {
  const [, render] = useReducer((n) => n + 1, 0);
  // Before the page is shown: an effect that follows later would miss what happens in between.
  useLayoutEffect(() => {
    const drawn = {};
    const follow = () => {
      const isOther = names.some((name) => shared[name] !== drawn[name]);
      names.forEach((name) => { drawn[name] = shared[name]; });
      if (isOther) render();
    };
    names.forEach((name) => { drawn[name] = shared[name]; });
    listeners.add(follow);
    return () => listeners.delete(follow);
  }, []);
  return shared;
}

/** A sentence for screen readers and the status line. */
export const say = (sentence) => share({ said: sentence, saidAt: Date.now() });

// ---- Calls

/** An answer that is no success: status 0 when there is no answer. */
export class Refusal extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail || problem.title || String(status));
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Numbers with more digits than a double has stay as they are written. */
function exact(key, value, context) {
  return typeof value === "number" && context?.source && JSON.rawJSON && context.source.replace(/\D/g, "").length > 15
    ? JSON.rawJSON(context.source) : value;
}

export const parseExact = (text) => JSON.parse(text, exact);

export function query(params) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") search.append(name, one);
    }
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}

/** What a read replica may answer. Not the list of tasks: events reload it, and it has to show what they told. */
const MAY_BE_STALE = /^v1\/(analytics\/(performance|bottlenecks|timeline)|failures|dlq|write-requests|tasks:count)$/;
const STALE_SECONDS = 5;
/** In the time of this page. */
let changedAt = -Infinity;
const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("tasker-changes");
if (tabs) tabs.onmessage = () => { changedAt = performance.now(); };

function changed() {
  changedAt = performance.now();
  tabs?.postMessage("");
}

/** For as long as a replica may lack a change that this browser made, the primary answers: the reader sees the effect of every action. */
const staleness = (path) => MAY_BE_STALE.test(path) && performance.now() - changedAt > STALE_SECONDS * 1000
  ? { "Tasker-Max-Staleness": String(STALE_SECONDS) } : {};

/** Of an answer that is no JSON. */
const MOST_FOREIGN = 2_000;

export async function call(method, path, { body, type = "application/json", headers = {}, signal } = {}) {
  if (method !== "GET") changed();
  let answer;
  try {
    answer = await fetch(new URL(path, ROOT), {
      method, signal, cache: "no-store", credentials: "same-origin",
      headers: { "X-Requested-By": "console", Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": type }), ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    if (!shared.offlineSince) share({ offlineSince: new Date() });
    throw new Refusal(0, { title: "No answer", code: "no-answer" });
  }
  if (shared.offlineSince) share({ offlineSince: null, generation: shared.generation + 1 });
  const text = await answer.text();
  if (method !== "GET") changed();
  let document = {};
  try {
    document = text ? parseExact(text) : {};
  } catch {
    // Not of this server, but of something before it: a page for people, which is shown folded.
    document = { code: "foreign-answer", foreign: text.slice(0, MOST_FOREIGN) };
  }
  if (answer.ok && !document.foreign) return document;
  if (answer.status === 401 && !headers.Authorization) share({ lost: true });
  throw new Refusal(answer.status, document, Number(answer.headers.get("Retry-After")) || 0);
}

export const get = (path, params = {}, signal) => call("GET", path + query(params), { signal, headers: staleness(path) });

/** {group: {count, more}} of groups of states. The server counts the newest tasks that match and tells when there are more: then each group is counted by itself. */
export async function countBy(filter, groups, signal) {
  const all = await get("v1/tasks:count", filter, signal);
  const of = async (states) => (all.more ? get("v1/tasks:count", { ...filter, state: states.join(",") }, signal)
    : { count: states.reduce((total, state) => total + (all.by_state[state] ?? 0), 0), more: false });
  const counts = await Promise.all(Object.entries(groups).map(async ([name, states]) => [name, await of(states)]));
  return { all, ...Object.fromEntries(counts) };
}

/** For one intent of the reader. */
export const newKey = () => crypto.randomUUID?.() ?? `${Date.now()}-${String(Math.random()).slice(2)}`;

/** A change: sent with a key of its own, so that a repetition after a lost answer has no second effect. */
export const change = (method, path, body, key = newKey()) =>
  call(method, path, { body, headers: path.startsWith("v1/access/") ? {} : { "Idempotency-Key": key } });

// ---- Session

const utf8 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const signInBy = async (authorization) => {
  await call("POST", "v1/access/session", { headers: { Authorization: authorization } });
  await whoAmI();
};

export const signIn = (name, password) => signInBy(`Basic ${utf8(`${name}:${password}`)}`);

export const signInByToken = (token) => signInBy(`Bearer ${token.trim()}`);

export async function whoAmI() {
  const me = await get("v1/me");
  const granted = new Map();
  for (const text of me.permissions) {
    const [permission, namespace] = text.split(" in ");
    granted.set(permission, [...(granted.get(permission) ?? []), namespace ?? null]);
  }
  share({ me: { ...me, granted }, lost: false, generation: shared.generation + 1 });
}

export async function signOut() {
  await call("DELETE", "v1/access/session");
  share({ me: null, lost: true });
}

/** In this namespace; without one, in at least one namespace. */
export function may(permission, namespace) {
  const where = shared.me?.granted.get(permission);
  return !!where && (namespace === undefined || where.includes(null) || where.includes(namespace));
}

export const mayEverywhere = (permission) => !!shared.me?.granted.get(permission)?.includes(null);

// ---- Address bar

const parse = () => {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decodeURIComponent), params: new URLSearchParams(search ?? "") };
};

/** isLater: in a task of its own, after what follows the address at once has been drawn. */
export function useRoute(isLater = false) {
  const [route, set] = useState(parse);
  useLayoutEffect(() => {
    let followed;
    const follow = () => {
      set(parse());
      // What is drawn next begins its own count first.
      if (followed) setTimeout(followed);
      followed = null;
    };
    const update = () => {
      if (!isLater) follow();
      else if (!followed) {
        followed = unfinished();
        setTimeout(follow);
      }
    };
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

export const link = (...parts) => {
  const params = typeof parts.at(-1) === "object" ? parts.pop() : {};
  return `#/${parts.map(encodeURIComponent).join("/")}${query(params)}`;
};

/**
 * The first change of a page's parameters makes an entry of the browser's history, and the next ones replace it: one step back shows the page as it was
 * opened, the second leaves it.
 */
export function setParams(changes) {
  const { parts, params } = parse();
  const next = Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name)]));
  const address = link(...parts, { ...next, ...changes });
  if (history.state?.changed) history.replaceState(history.state, "", address);
  else history.pushState({ changed: true }, "", address);
  dispatchEvent(new Event("hashchange"));
}

// ---- Hooks

/** Longest pause between two attempts to reach the server. */
const LONGEST_PAUSE = 30_000;

let unready = 0;
/** Until the returned function is called, the document says that what it shows is not all. */
function unfinished() {
  let isCounted = true;
  document.documentElement.dataset.unfinished = ++unready;
  return () => {
    if (isCounted && --unready === 0) delete document.documentElement.dataset.unfinished;
    isCounted = false;
  };
}

/**
 * Loads at once, after every change of `deps`, and every `every` milliseconds while the page is visible (0: not again). What was
 * loaded stays when a later load fails. Refusals (401, 403, 404) end the polling until the next sign-in.
 */
export function useLoad(load, deps, every = 0) {
  const [state, set] = useState({ data: null, error: null, at: null });
  const { generation } = useShared("generation");
  const again = useRef(() => {});
  useEffect(() => {
    const stop = new AbortController();
    const answered = unfinished();
    let timer;
    let failures = 0;
    let isRunning = false;
    let isWanted = false;
    const run = async () => {
      clearTimeout(timer);
      if (isRunning) {
        isWanted = true;
        return;
      }
      isRunning = true;
      let pause = every;
      try {
        const data = await load(stop.signal);
        failures = 0;
        if (!stop.signal.aborted) set({ data, error: null, at: new Date() });
      } catch (error) {
        if (stop.signal.aborted) return;
        if (!(error instanceof Refusal)) console.error(error);
        set((old) => ({ ...old, error }));
        failures++;
        const isFinal = [401, 403, 404, 400].includes(error.status);
        pause = isFinal ? 0 : Math.min(LONGEST_PAUSE, Math.max(error.retryAfter * 1000 || 0, 1000 * 2 ** (failures - 1))) * (0.8 + Math.random() * 0.4);
      } finally {
        isRunning = false;
        // What was set is drawn first.
        setTimeout(answered);
      }
      if (isWanted) {
        isWanted = false;
        pause = 100;
      }
      if (pause && !stop.signal.aborted) timer = setTimeout(() => (document.hidden ? (timer = setTimeout(run, pause)) : run()), pause);
    };
    const onVisible = () => !document.hidden && every && run();
    again.current = run;
    run();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      stop.abort();
      answered();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [...deps, generation]);
  return { ...state, reload: () => again.current() };
}

/** Calls of the returned function run `action` at most once in `pause` milliseconds, and once more at the end. */
export function useThrottled(action, pause) {
  const current = useRef(action);
  current.current = action;
  const timer = useRef(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    if (timer.current) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      current.current();
    }, pause);
  };
}

/** The value, once it has been the same for `pause` milliseconds; null until the first one has. */
export function useSettled(value, pause) {
  const [settled, set] = useState(null);
  useEffect(() => {
    if (value === settled) return undefined;
    const isThere = unfinished();
    const timer = setTimeout(() => {
      set(value);
      // What follows the value begins its own count first.
      setTimeout(isThere);
    }, pause);
    return () => {
      clearTimeout(timer);
      isThere();
    };
  }, [value]);
  return settled;
}

/** How many of `count` are drawn by now: `part` more with each frame, so that the page answers in between; from the beginning when `of` is another. */
export function useParts(count, part, of, first = part) {
  const [now, draw] = useState({ of, drawn: first });
  const drawn = now.of === of ? now.drawn : first;
  useEffect(() => {
    if (drawn >= count) return undefined;
    const drawnAll = unfinished();
    let timer;
    // In a frame of its own: what was drawn last is laid out and painted before.
    const next = requestAnimationFrame(() => { timer = setTimeout(() => draw({ of, drawn: drawn + part })); });
    return () => {
      // What is drawn next begins its own count first.
      setTimeout(drawnAll);
      cancelAnimationFrame(next);
      clearTimeout(timer);
    };
  }, [drawn, count, of]);
  return drawn;
}

/** False at first, and true when the page has time for it: what is not in view yet is drawn in a task of its own. */
export function useLater() {
  const [isNow, set] = useState(false);
  useEffect(() => {
    const drawn = unfinished();
    const idle = requestIdleCallback(() => {
      set(true);
      setTimeout(drawn);
    }, { timeout: 500 });
    return () => {
      cancelIdleCallback(idle);
      drawn();
    };
  }, []);
  return isNow;
}

/** One clock for all relative times. */
export function useClock() {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
