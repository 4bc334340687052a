// Where the reader was: the scroll position and the focused link of each entry of the browser's history, so that "back" restores them.
/** How long a list may take to be there again. */
const PATIENCE_MS = 5_000;

const places = new Map();
let current = null;
let made = 0;
let stopRestoring = () => {};
let isRestoring = false;

const here = () => places.get(current) ?? { y: 0, href: null };

/** An entry without a place is new: a page begins at its top, a changed filter stays where it was. */
function enter() {
  const known = history.state?.place;
  if (known === current && known) return;
  stopRestoring();
  if (known && places.has(known)) {
    current = known;
    restore(here());
    return;
  }
  const before = here();
  current = known ?? `${Date.now()}-${++made}`;
  // Browsers put it off when addresses change very often.
  history.replaceState({ ...history.state, place: current }, "");
  const isChange = !!history.state?.changed;
  places.set(current, isChange ? before : { y: 0, href: null });
  if (!isChange) scrollTo(0, 0);
}

function restore({ y, href }) {
  const until = Date.now() + PATIENCE_MS;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    isRestoring = false;
    ["wheel", "keydown", "pointerdown"].forEach((type) => removeEventListener(type, stop, true));
    stopRestoring = () => {};
  };
  stopRestoring = stop;
  isRestoring = true;
  ["wheel", "keydown", "pointerdown"].forEach((type) => addEventListener(type, stop, true));
  const look = () => {
    if (isStopped) return;
    const target = href && [...document.querySelectorAll("main a[href]")].find((link) => link.getAttribute("href") === href);
    const isTallEnough = document.documentElement.scrollHeight - innerHeight >= y;
    if (((target || !href) && isTallEnough) || Date.now() > until) {
      target?.focus({ preventScroll: true });
      scrollTo(0, y);
      stop();
      return;
    }
    requestAnimationFrame(look);
  };
  look();
}

/** What had the focus and is gone, such as the button of an action that is not possible any more, leaves it to the page: the keyboard goes on there. */
function keepFocus() {
  let focused = null;
  addEventListener("focusin", (event) => {
    focused = event.target;
  });
  new MutationObserver(() => {
    if (!focused || focused.isConnected || document.activeElement !== document.body || document.querySelector("dialog[open]")) return;
    focused = null;
    document.getElementById("main")?.focus({ preventScroll: true });
  }).observe(document.getElementById("console"), { childList: true, subtree: true });
}

/** To be called once. */
export function followPosition() {
  keepFocus();
  history.scrollRestoration = "manual";
  enter();
  addEventListener("popstate", enter);
  addEventListener("hashchange", enter);
  addEventListener("scroll", () => !isRestoring && places.set(current, { ...here(), y: scrollY }), { passive: true });
  addEventListener("focusin", (event) => {
    const href = event.target.closest?.("main a[href]")?.getAttribute("href");
    if (href && !isRestoring) places.set(current, { ...here(), href });
  });
}
