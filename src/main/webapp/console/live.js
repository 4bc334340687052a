// Events for all tabs of a browser over as few connections as possible: a browser opens six to a server over HTTP/1.1, and a server has a limit of streams.
// One tab leads, which the Web Locks decide; it opens the streams and hands their events to the others over a BroadcastChannel. When it is closed, the next
// one goes on after the last event that was handed out. Where a page is not served securely there are no locks: then each tab leads itself.
import { useEffect, useRef, useState } from "./dom.js";
import { mayEverywhere, query, ROOT, useShared } from "./core.js";

const NAME = "tasker-live";
const MOST_TASKS = 50;
/** Events are handed out together. */
const BATCH_MS = 100;
/** A stream that is back within this was not away. */
const PATIENCE_MS = 3_000;
const LONGEST_PAUSE_MS = 30_000;
/** The server says something every 15 seconds: a stream that is silent for longer than this is dead, though the browser keeps it. */
const SILENCE_MS = 45_000;
const AGAIN_MS = 2_000;
/** A tab that is hidden for longer wants nothing until it is seen again. */
const HIDDEN_MS = 60_000;
/** How often the leader looks for tabs that are gone without a word. */
const GONE_MS = 30_000;
/** More events in a second are counted and not applied, until there are fewer in each of some seconds. */
const TOO_MANY = 200;
const FEW = 100;
const CALM_SECONDS = 3;

const me = `${Date.now()}-${Math.random()}`;
const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(NAME);
/** What this tab wants: Map of a number to {want, onEvents, onState}. */
const mine = new Map();
/** What each tab wants, this one included; the leader opens streams for it. */
const wanted = new Map();
/** The last event of each stream, which every tab knows, so that each can go on. */
const last = new Map();
const states = new Map();
const streams = new Map();
/** Of each key, also when its stream is opened anew, by the next leader too. */
const ids = new Map();
let isLeader = false;
let asked = 0;

// ---- Which streams there are

/** Those who may see all tasks need one stream of a kind, others one for each namespace. */
const scope = (namespace) => (mayEverywhere("tasks:read") ? "" : (namespace ?? ""));
const keyOf = (want) => `${want.task ? "tasks" : "lists"} ${scope(want.namespace)}`;

/** The path of the stream that has at least what is wanted of it. Beyond the most that a stream can name, pages are polled. */
function pathOf(key, wants) {
  const namespace = key.slice(key.indexOf(" ") + 1);
  if (key.startsWith("tasks ")) return `v1/events${query({ namespace, task_uuid: [...new Set(wants.map((want) => want.task))].slice(0, MOST_TASKS).sort() })}`;
  const common = Object.fromEntries(["namespace", "name", "version"].map((name) => [name, wants.every((want) => want[name] === wants[0][name]) ? wants[0][name] : null]));
  return `v1/events${query({ kind: "task", ...common, namespace: namespace || common.namespace })}`;
}

const accepts = (want, event) => (want.task ? event.task_uuid === want.task
  : event.type === "task" && ["namespace", "name", "version"].every((name) => !want[name] || want[name] === event[name]));

// ---- The leader

class Stream {
  constructor(key, path) {
    Object.assign(this, { key, path, id: (ids.get(key) ?? ids.set(key, crypto.randomUUID?.()).get(key)), events: [], failures: 0, source: null, timer: null, away: null, isResumed: last.has(key) });
    tell(key, { state: "connecting" });
    this.open();
  }

  open() {
    const url = new URL(this.path, ROOT);
    const after = this.last ?? last.get(this.key);
    if (after) url.searchParams.set("last_event_id", after);
    // The server ends the former stream of this id at once, and not at its second heartbeat.
    if (this.id) url.searchParams.set("stream_uuid", this.id);
    const source = new EventSource(url);
    Object.assign(this, { source, heard: Date.now() });
    const take = (event) => {
      if (this.source !== source || source.readyState === EventSource.CLOSED) return;
      this.heard = Date.now();
      if (event.lastEventId) this.last = event.lastEventId;
      this.isBack();
      if (event.type !== "alive") this.events.push({ type: event.type, ...JSON.parse(event.data) });
      this.flushing ??= setTimeout(() => this.flush(), BATCH_MS);
    };
    ["task", "step", "end", "alive"].forEach((type) => source.addEventListener(type, take));
    source.onerror = () => {
      if (this.source !== source) return;
      this.away ??= Date.now();
      this.patience ??= setTimeout(() => tell(this.key, { state: "offline", since: this.away }), PATIENCE_MS);
      if (source.readyState === EventSource.CLOSED) {
        // The server refused: too many streams, or no session. Ask again later.
        this.timer = setTimeout(() => this.open(), Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** this.failures++));
      }
    };
  }

  /** The connection is gone, and the browser may not have noticed: it is opened again after the last event. */
  lost() {
    [this.timer, this.patience].forEach((timer) => clearTimeout(timer));
    this.source.close();
    this.away ??= Date.now();
    tell(this.key, { state: "offline", since: this.away });
    this.timer = setTimeout(() => this.open(), AGAIN_MS);
  }

  isBack() {
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, away: null, failures: 0 });
    if (states.get(this.key)?.state !== "live") {
      tell(this.key, { state: "live", isResumed: this.isResumed });
      this.isResumed = true;
    }
  }

  flush() {
    this.flushing = null;
    const { events } = this;
    this.events = [];
    if (this.last) last.set(this.key, this.last);
    post({ type: "events", key: this.key, events, last: this.last });
    deliver(this.key, events);
  }

  close() {
    [this.timer, this.patience, this.flushing].forEach((timer) => clearTimeout(timer));
    if (this.events.length > 0) this.flush();
    this.source.close();
    this.source = null;
  }
}

function lead() {
  const byKey = new Map();
  for (const wants of wanted.values()) for (const want of wants) byKey.set(want.key, [...(byKey.get(want.key) ?? []), want]);
  for (const [key, stream] of streams) {
    if (byKey.has(key) && stream.path === pathOf(key, byKey.get(key))) continue;
    stream.close();
    streams.delete(key);
    if (byKey.has(key)) continue;
    forget(key);
    post({ type: "closed", key });
  }
  for (const [key, wants] of byKey) {
    const stream = streams.get(key);
    if (!stream) streams.set(key, new Stream(key, pathOf(key, wants)));
    else if (stream.source.readyState === EventSource.CLOSED) {
      clearTimeout(stream.timer);
      stream.open();
    }
  }
  // A page that is new hears how its stream stands.
  states.forEach((state, key) => tell(key, state));
}

/** No page follows it any more: the next stream begins anew. */
function forget(key) {
  states.delete(key);
  last.delete(key);
}

// ---- Between the tabs

const post = (message) => channel?.postMessage({ from: me, ...message });

function tell(key, state) {
  post({ type: "state", key, state, id: ids.get(key) });
  hear(key, state);
}

function hear(key, state) {
  states.set(key, state);
  mine.forEach((one) => keyOf(one.want) === key && one.onState(state));
}

function deliver(key, events) {
  mine.forEach((one) => {
    const fitting = keyOf(one.want) === key ? events.filter((event) => accepts(one.want, event)) : [];
    if (fitting.length > 0) one.onEvents(fitting);
  });
}

/** With the key of the tab that wants it: the leader may not know yet who is signed in. */
const wants = () => [...mine.values()].map((one) => ({ ...one.want, key: keyOf(one.want) }));

/** The leader decides at the end of the turn, when a page has dropped one want and has another. */
let isDue = false;
function announce() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    wanted.set(me, wants());
    if (isLeader) lead();
    else post({ type: "wants", wants: wants() });
  });
}

function onMessage({ data }) {
  if (data.type === "wants") {
    if (data.wants.length > 0) wanted.set(data.from, data.wants);
    else wanted.delete(data.from);
    if (isLeader) lead();
  } else if (data.type === "who") announce();
  else if (data.type === "closed") forget(data.key);
  else if (data.type === "state") {
    ids.set(data.key, data.id);
    hear(data.key, data.state);
  }
  else if (data.type === "events") {
    if (data.last) last.set(data.key, data.last);
    deliver(data.key, data.events);
  }
}

function becomeLeader() {
  isLeader = true;
  document.documentElement.dataset.leader = "true";
  wanted.clear();
  wanted.set(me, wants());
  post({ type: "who" });
  // The other tabs answer first, so that the streams are opened once.
  setTimeout(lead, BATCH_MS);
  setInterval(async () => {
    const { held } = await navigator.locks.query();
    const there = new Set(held.map((lock) => lock.name));
    [...wanted.keys()].filter((tab) => !there.has(`${NAME} ${tab}`)).forEach((tab) => wanted.delete(tab));
    lead();
  }, GONE_MS);
}

if (channel && navigator.locks) {
  channel.onmessage = onMessage;
  const forever = () => new Promise(() => {});
  navigator.locks.request(`${NAME} ${me}`, forever);
  navigator.locks.request(NAME, () => {
    becomeLeader();
    return forever();
  });
  addEventListener("pagehide", () => post({ type: "wants", wants: [] }));
} else {
  isLeader = true;
}

addEventListener("offline", () => streams.forEach((stream) => stream.lost()));
setInterval(() => streams.forEach((stream) => Date.now() - stream.heard > SILENCE_MS && stream.source.readyState !== EventSource.CLOSED && stream.lost()), AGAIN_MS);

// ---- For the pages

/**
 * Follows the moves of one task ({task, namespace}) or of a list ({namespace, name, version}); null follows nothing. Returns {state, since?, rate?}: connecting,
 * live, offline since a time, summary with a rate, or ended. onEvent gets each event, and {type: "again"} when what was missed has to be loaded.
 */
export function useStream(want, onEvent) {
  const [status, set] = useState({ state: "connecting" });
  const handler = useRef(onEvent);
  handler.current = onEvent;
  const { generation } = useShared("generation");
  const wish = JSON.stringify(want);
  useEffect(() => {
    if (!want) {
      set({ state: "ended" });
      return undefined;
    }
    const id = ++asked;
    let hiding;
    let rate = 0;
    let calm = 0;
    let isSummary = false;
    let isFirst = true;
    let now = { state: "connecting" };
    const show = (state) => {
      now = state;
      set(state);
    };
    const one = {
      want,
      onEvents(events) {
        rate += events.length;
        if (rate > TOO_MANY && !isSummary) {
          isSummary = true;
          calm = 0;
          show({ state: "summary", rate });
        }
        if (!isSummary) events.forEach((event) => handler.current(event));
      },
      onState(state) {
        if (isSummary && state.state === "live") return;
        // What moved between the load of the page and the beginning of the stream is in neither; a stream that goes on has it all.
        const hasGap = state.state === "live" && (isFirst || (now.state !== "live" && !state.isResumed));
        isFirst &&= state.state !== "live";
        show(state);
        if (hasGap) handler.current({ type: "again" });
      },
    };
    const start = () => {
      mine.set(id, one);
      announce();
    };
    const stop = () => {
      mine.delete(id);
      announce();
    };
    const second = setInterval(() => {
      if (isSummary) {
        calm = rate < FEW ? calm + 1 : 0;
        if (calm >= CALM_SECONDS) {
          isSummary = false;
          show({ state: "live" });
          handler.current({ type: "again" });
        } else now.rate = rate; // Only the corner shows it: the page is not drawn for it.
      }
      rate = 0;
    }, 1000);
    const onVisible = () => {
      clearTimeout(hiding);
      if (document.hidden) {
        // Another tab may keep the stream: what it tells meanwhile is lost here.
        hiding = setTimeout(() => {
          stop();
          isFirst = true;
        }, HIDDEN_MS);
      }
      else if (!mine.has(id)) start();
    };
    start();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      clearTimeout(hiding);
      clearInterval(second);
      stop();
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [wish, generation]);
  return status;
}
