// The frame around the pages: sign-in, navigation, and the page that the address names.
import { html, memo, render, useEffect, useRef, useState, visible } from "./dom.js";
import { link, may, mayEverywhere, shared, signIn, signInByToken, signOut, useRoute, useShared, whoAmI } from "./core.js";
import { useGlobalKeys } from "./keys.js";
import { KeyHelp, Palette } from "./palette.js";
import { followPosition } from "./position.js";
import { useNeeds } from "./needs.js";
import { followTheme, prefer, preferences } from "./preferences.js";
import { Search } from "./search.js";
import { Namespaces, useNamespace } from "./namespaces.js";
import { t } from "./texts.js";
import { Banner, Dialog, ErrorNote, Field, Guard, Icon, Mark, Menu, Skeleton, Toast } from "./ui/index.js";

/**
 * Each page is a module of its own, loaded when it is opened; `isFor` says who finds it in the navigation, `key` is its letter after "g", and `hasNamespace` that
 * the namespace of the switch narrows it.
 */
const PAGES = {
  overview: { load: () => import("./pages/overview.js"), key: "o", hasNamespace: true, isFor: () => true },
  tasks: { load: () => import("./pages/tasks.js"), key: "t", hasNamespace: true, isFor: () => may("tasks:list") },
  task: { load: () => import("./pages/task.js") },
  failures: { load: () => import("./pages/failures.js"), key: "f", hasNamespace: true, isFor: () => may("steps:read") && may("tasks:list") },
  deadLetters: { load: () => import("./pages/deadletters.js"), key: "d", isFor: () => may("dlq:read") },
  approvals: { load: () => import("./pages/approvals.js"), key: "i", hasNamespace: true, isFor: () => may("approvals:read") },
  approval: { load: () => import("./pages/approval.js") },
  templates: { load: () => import("./pages/templates.js"), key: "m", hasNamespace: true, isFor: () => may("templates:read") },
  template: { load: () => import("./pages/template.js") },
  editor: { load: () => import("./pages/editor.js") },
  schedules: { load: () => import("./pages/schedules.js"), key: "s", hasNamespace: true, isFor: () => may("schedules:read") },
  schedule: { load: () => import("./pages/schedule.js") },
  webhooks: { load: () => import("./pages/webhooks.js"), key: "w", hasNamespace: true, isFor: () => may("webhooks:read") },
  webhook: { load: () => import("./pages/webhook.js") },
  servers: { load: () => import("./pages/servers.js"), key: "v", isFor: () => mayEverywhere("system:servers_read") },
  queues: { load: () => import("./pages/queues.js"), key: "q", isFor: () => mayEverywhere("system:servers_read") },
  deadMessages: { load: () => import("./pages/deadmessages.js"), key: "p", isFor: () => mayEverywhere("messages:read") },
  policies: { load: () => import("./pages/policies.js"), key: "l", hasNamespace: true, isFor: () => may("policies:read") },
  analytics: { load: () => import("./pages/analytics.js"), key: "y", hasNamespace: true, isFor: () => may("system:analytics_read") },
  retention: { load: () => import("./pages/retention.js"), key: "r", isFor: () => mayEverywhere("policies:read") },
  access: { load: () => import("./pages/access.js"), key: "u", isFor: () => mayEverywhere("security:read") },
  audit: { load: () => import("./pages/audit.js"), key: "x", isFor: () => mayEverywhere("security:audit_read") },
};
/** The navigation: what stands in each group. Dead letters are a tab of the failures, and parked messages one of the queues. */
const GROUPS = {
  work: ["overview", "tasks", "failures", "approvals"],
  automate: ["templates", "schedules", "webhooks"],
  operate: ["servers", "queues", "policies", "analytics", "retention"],
  admin: ["access", "audit"],
};
/** For whoever may see only the tab and not the page that it belongs to. */
const TABS_OF = { failures: "deadLetters", queues: "deadMessages" };

/** The page of an address, and the entry of the navigation that it belongs to. */
function pageOf([first = "overview", second]) {
  if (first === "tasks" && second) return ["task", "tasks"];
  if (first === "templates" && second === "new") return ["editor", "templates"];
  if (first === "templates" && second) return ["template", "templates"];
  if (first === "approvals" && second) return ["approval", "approvals"];
  if (first === "schedules" && second) return ["schedule", "schedules"];
  if (first === "webhooks" && second) return ["webhook", "webhooks"];
  const owner = Object.keys(TABS_OF).find((page) => TABS_OF[page] === first) ?? first;
  return t.pages[first] ? [first, owner] : [null, null];
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

/** Drawn after the frame, in a task of its own: a page may be much, and the navigation shows at once where the reader goes. */
const Page = memo(() => {
  const route = useRoute(true);
  useShared("me", "preferred");
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
    // The module too: one that comes between a drawing and what follows it is not the one that this drawing had.
  }, [name, address, module.name]);
  useEffect(() => {
    // Screen readers and the keyboard begin at the new page.
    if (module.page && document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [module, address]);
  return html`<main id="main" tabindex="-1" ref=${main}><${Banner} />
    ${!name ? html`<h1>${t.error.page}</h1><p><a href="#/">${t.pages.overview}</a></p>`
    : error ? html`<${ErrorNote} error=${Object.assign(error, { problem: { title: t.error.broken } })} onRetry=${() => location.reload()} />`
    : module.name === name ? html`<${Guard} key=${address}><${module.page} parts=${route.parts} params=${route.params} /><//>` : html`<${Skeleton} />`}</main>`;
});

/** What the reader chooses, and the way out. */
const UserMenu = memo(({ onOver }) => {
  const { me } = useShared("me", "preferred");
  const choice = (name, values) => html`<div role="group" aria-label=${t.user[name]}><span class="small quiet">${t.user[name]}</span><br /><span class="group">${values.map((value) => html`<button type="button" key=${value}
    data-prefer=${`${name} ${value}`} aria-pressed=${preferences[name] === value ? "true" : "false"} onClick=${() => prefer({ [name]: value })}>${t.user.choices[value]}</button>`)}</span></div>`;
  return html`<${Menu} name="user" icon="person" label=${me.name}><p class="quiet small">${t.signedInAs(me.name)}</p>${choice("theme", ["system", "light", "dark"])}${choice("density", ["dense", "roomy"])}
    <button type="button" class="plain" data-zone=${preferences.zone} onClick=${() => prefer({ zone: preferences.zone === "utc" ? "local" : "utc" })}>${t.zone[preferences.zone]}</button>
    <button type="button" class="plain" aria-haspopup="dialog" onClick=${() => onOver("help")}>${t.keysTitle}</button><button type="button" class="plain" onClick=${signOut}>${t.signOut}</button><//>`;
});

const entry = (isCurrent) => ({ class: `pf-v6-c-nav__link ${isCurrent ? "pf-m-current" : ""}`, "aria-current": isCurrent ? "page" : undefined });

function Rail({ current, needs }) {
  const namespace = useNamespace();
  const nav = useRef(null);
  useEffect(() => nav.current.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  const address = (name) => (name === "overview" && !namespace ? "#/" : link(name, PAGES[name].hasNamespace && namespace ? { namespace } : {}));
  const shown = (name) => (PAGES[name].isFor() ? name : TABS_OF[name] && PAGES[TABS_OF[name]].isFor() ? TABS_OF[name] : null);
  return html`<nav class="rail pf-v6-c-nav" aria-label=${t.pagesOfTheConsole} ref=${nav}><div>${Object.entries(GROUPS).map(([group, names]) => {
    const found = names.map(shown).filter(Boolean);
    return found.length > 0 && html`<section class="pf-v6-c-nav__section" key=${group}><h2 class="pf-v6-c-nav__section-title" id=${`nav-${group}`}>${t.groups[group]}</h2><ul class="pf-v6-c-nav__list" aria-labelledby=${`nav-${group}`}>${found.map((name, i) => html`<li key=${name} class="pf-v6-c-nav__item"><a href=${address(name)} ...${entry(name === current || names[i] === current)}><${Icon} name=${name} />${t.pages[name]}${needs[name] > 0 && html`<span class="badge" title=${t.needs[name](needs[name])}>${needs[name] > 99 ? "99+" : `${needs[name]}${needs.more?.[name] ? "+" : ""}`}<span class="unseen"> ${t.needs[name](needs[name])}</span></span>`}</a></li>`)}</ul></section>`;
  })}</div></nav>`;
}

function SaidLast() {
  const { said, saidAt } = useShared("said", "saidAt");
  return html`<div class="unseen" role="status" aria-live="polite">${said}</div><${Toast} text=${said} at=${saidAt} />`;
}

function Frame() {
  useShared("me");
  const route = useRoute();
  const [, current] = pageOf(route.parts);
  const [over, show] = useState(null);
  const needs = useNeeds();
  const allowed = Object.keys(PAGES).filter((name) => PAGES[name].isFor?.());
  const letters = Object.fromEntries(allowed.filter((name) => PAGES[name].key).map((name) => [PAGES[name].key, name]));
  useGlobalKeys(show, letters);
  return html`<div class="frame">
    <header class="head"><a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById("main").focus(); }}>${t.skip}</a>
      <a class="product" href="#/"><${Mark} />${t.product}</a><${Namespaces} narrows=${!!PAGES[current]?.hasNamespace} /><${Search} />
      <div class="end"><${UserMenu} onOver=${show} /></div></header>
    <${Rail} current=${current} needs=${needs} />
    <${Page} />
    <${SaidLast} />
    ${over === "help" && html`<${KeyHelp} pages=${letters} onClose=${() => show(null)} />`}${over === "palette" && html`<${Palette} pages=${allowed} onClose=${() => show(null)} />`}
  </div>`;
}

function App() {
  const { me, lost } = useShared("me", "lost");
  const [isKnown, set] = useState(false);
  const [error, setError] = useState(null);
  const ask = () => whoAmI().then(() => set(true), (refused) => (refused.status === 401 ? set(true) : setError(refused)));
  useEffect(() => {
    ask();
  }, []);
  if (me) return html`<${Frame} />${lost && html`<${LostSession} />`}`;
  if (isKnown) return html`<main class="sign-in"><h1 class="product"><${Mark} />${t.product}</h1><${SignIn} sentence="" /></main>`;
  return html`<main class="sign-in"><h1 class="product"><${Mark} />${t.product}</h1><${Banner} />
    ${error ? html`<${ErrorNote} error=${error} /><button type="button" onClick=${() => { setError(null); ask(); }}>${t.retry}</button>` : html`<p class="quiet">${t.loading}</p>`}</main>`;
}

followTheme();
followPosition();
render(html`<${App} />`, document.getElementById("console"));
