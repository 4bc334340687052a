// The frame around the pages: sign-in, navigation, and the page that the address names.
import { html, render, useEffect, useRef, useState, visible } from "./dom.js";
import { link, may, mayEverywhere, shared, signIn, signInByToken, signOut, useRoute, useShared, whoAmI } from "./core.js";
import { useGlobalKeys } from "./keys.js";
import { KeyHelp, Palette } from "./palette.js";
import { followPosition } from "./position.js";
import { prefer, preferences } from "./preferences.js";
import { Search } from "./search.js";
import { t } from "./texts.js";
import { Banner, Dialog, ErrorNote, Field, Guard } from "./ui.js";

/** Each page is a module of its own, loaded when it is opened; `isFor` says who finds it in the navigation, `key` is its letter after "g". */
const PAGES = {
  overview: { load: () => import("./pages/overview.js"), key: "o", isFor: () => true },
  tasks: { load: () => import("./pages/tasks.js"), key: "t", isFor: () => may("tasks:list") },
  task: { load: () => import("./pages/task.js") },
  approvals: { load: () => import("./pages/approvals.js"), key: "i", isFor: () => may("approvals:read") },
  approval: { load: () => import("./pages/approval.js") },
  schedules: { load: () => import("./pages/schedules.js"), key: "s", isFor: () => may("schedules:read") },
  schedule: { load: () => import("./pages/schedule.js") },
  webhooks: { load: () => import("./pages/webhooks.js"), key: "w", isFor: () => may("webhooks:read") },
  webhook: { load: () => import("./pages/webhook.js") },
  failures: { load: () => import("./pages/failures.js"), key: "f", isFor: () => may("steps:read") && may("tasks:list") },
  templates: { load: () => import("./pages/templates.js"), key: "m", isFor: () => may("templates:read") },
  template: { load: () => import("./pages/template.js") },
  editor: { load: () => import("./pages/editor.js") },
  deadLetters: { load: () => import("./pages/deadletters.js"), key: "d", isFor: () => may("dlq:read") },
  deadMessages: { load: () => import("./pages/deadmessages.js"), key: "q", isFor: () => mayEverywhere("messages:read") },
  analytics: { load: () => import("./pages/analytics.js"), key: "y", isFor: () => may("system:analytics_read") },
  servers: { load: () => import("./pages/servers.js"), key: "v", isFor: () => mayEverywhere("system:servers_read") },
  policies: { load: () => import("./pages/policies.js"), key: "l", isFor: () => may("policies:read") },
  retention: { load: () => import("./pages/retention.js"), key: "r", isFor: () => mayEverywhere("policies:read") },
  access: { load: () => import("./pages/access.js"), key: "u", isFor: () => mayEverywhere("security:read") },
  audit: { load: () => import("./pages/audit.js"), key: "x", isFor: () => mayEverywhere("security:audit_read") },
};
/** The page of an address, and the entry of the navigation that it belongs to. */
function pageOf([first = "overview", second]) {
  if (first === "tasks" && second) return ["task", "tasks"];
  if (first === "templates" && second === "new") return ["editor", "templates"];
  if (first === "templates" && second) return ["template", "templates"];
  if (first === "approvals" && second) return ["approval", "approvals"];
  if (first === "schedules" && second) return ["schedule", "schedules"];
  if (first === "webhooks" && second) return ["webhook", "webhooks"];
  return t.pages[first] ? [first, first] : [null, null];
}

function SignIn({ sentence }) {
  const [name, setName] = useState(shared.me?.name ?? "");
  const [password, setPassword] = useState("");
  const [token, setToken] = useState(null);
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    busy(true);
    setError(null);
    try {
      await (token === null ? signIn(name, password) : signInByToken(token));
    } catch (refused) {
      setError(refused);
      setPassword("");
      setToken(token === null ? null : "");
      busy(false);
    }
  };
  const wrong = error?.status === 401 ? (token === null ? t.wrongPassword : t.wrongToken) : error?.status === 429 ? t.tryAgainIn(error.retryAfter || 1) : null;
  return html`<form onSubmit=${submit}>
    <p>${sentence}</p>
    ${token !== null ? html`<${Field} label=${t.token} hint=${t.tokenHint}><input name="token" type="password" autocomplete="off" required value=${token} onInput=${(e) => setToken(e.target.value)} /><//>`
    : html`<${Field} label=${t.name}><input name="name" autocomplete="username" required value=${name} onInput=${(e) => setName(e.target.value)} /><//>
    <${Field} label=${t.password}><input name="password" type="password" autocomplete="current-password" required value=${password} onInput=${(e) => setPassword(e.target.value)} /><//>`}
    ${wrong ? html`<div class="note bad" role="alert">${wrong}</div>` : error && html`<${ErrorNote} error=${error} />`}
    <div class="row"><button class="main" disabled=${isBusy}>${t.signIn}</button>
      <button type="button" onClick=${() => { setError(null); setToken(token === null ? "" : null); }}>${token === null ? t.withToken : t.withPassword}</button></div>
  </form>`;
}

/** Over the page, which stays as it is. */
function LostSession() {
  const [closed, close] = useState(0);
  return html`<${Dialog} key=${closed} title=${t.signIn} onClose=${() => shared.lost && close(closed + 1)}><${SignIn} sentence=${t.signInAgain} /><//>`;
}

function Page() {
  const route = useRoute();
  const [name] = pageOf(route.parts);
  const [module, set] = useState({});
  const [error, setError] = useState(null);
  const main = useRef(null);
  const address = route.parts.join("/");
  useEffect(() => {
    setError(null);
    document.title = visible(`${t.pages[route.parts[0] ?? "overview"] ?? ""} ${route.parts.slice(1).join("/")} – ${t.product}`);
    if (!name || module.name === name) return undefined;
    let isWanted = true;
    PAGES[name].load().then(({ default: page }) => isWanted && set({ name, page }), (failure) => isWanted && setError(failure));
    return () => {
      isWanted = false;
    };
  }, [name, address]);
  useEffect(() => {
    // Screen readers and the keyboard begin at the new page.
    if (module.page && document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [module, address]);
  return html`<main id="main" tabindex="-1" ref=${main}><${Banner} />
    ${!name ? html`<h1>${t.error.page}</h1><p><a href="#/">${t.pages.overview}</a></p>`
    : error ? html`<${ErrorNote} error=${Object.assign(error, { problem: { title: t.error.broken } })} onRetry=${() => location.reload()} />`
    : module.name === name ? html`<${Guard} key=${address}><${module.page} parts=${route.parts} params=${route.params} /><//>` : html`<p class="quiet">${t.loading}</p>`}</main>`;
}

function Frame() {
  const { me, said } = useShared();
  const route = useRoute();
  const [, current] = pageOf(route.parts);
  const [over, show] = useState(null);
  const allowed = Object.keys(PAGES).filter((name) => PAGES[name].isFor?.());
  const letters = Object.fromEntries(allowed.filter((name) => PAGES[name].key).map((name) => [PAGES[name].key, name]));
  useGlobalKeys(show, letters);
  return html`<div class="frame">
    <header class="head"><a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById("main").focus(); }}>${t.skip}</a>
      <a class="product" href="#/">${t.product}</a><${Search} />
      <div class="end"><button type="button" data-zone=${preferences.zone} onClick=${() => prefer({ zone: preferences.zone === "utc" ? "local" : "utc" })}>${t.zone[preferences.zone]}</button>
        <button type="button" onClick=${() => show("help")}>${t.keysTitle}</button><span class="quiet small">${t.signedInAs(me.name)}</span><button type="button" onClick=${signOut}>${t.signOut}</button></div></header>
    <nav class="rail" aria-label=${t.pagesOfTheConsole}><ul>${allowed.map((name) =>
      html`<li key=${name}><a href=${name === "overview" ? "#/" : link(name)} aria-current=${name === current ? "page" : undefined}>${t.pages[name]}</a></li>`)}</ul></nav>
    <${Page} />
    <div class="unseen" role="status" aria-live="polite">${said}</div>
    ${over === "help" && html`<${KeyHelp} pages=${letters} onClose=${() => show(null)} />`}${over === "palette" && html`<${Palette} pages=${allowed} onClose=${() => show(null)} />`}
  </div>`;
}

function App() {
  const { me, lost } = useShared();
  const [isKnown, set] = useState(false);
  const [error, setError] = useState(null);
  const ask = () => whoAmI().then(() => set(true), (refused) => (refused.status === 401 ? set(true) : setError(refused)));
  useEffect(() => {
    ask();
  }, []);
  if (me) return html`<${Frame} />${lost && html`<${LostSession} />`}`;
  if (isKnown) return html`<main class="sign-in"><h1>${t.product}</h1><${SignIn} sentence="" /></main>`;
  return html`<main class="sign-in"><h1>${t.product}</h1><${Banner} />
    ${error ? html`<${ErrorNote} error=${error} /><button type="button" onClick=${() => { setError(null); ask(); }}>${t.retry}</button>` : html`<p class="quiet">${t.loading}</p>`}</main>`;
}

followPosition();
render(html`<${App} />`, document.getElementById("console"));
