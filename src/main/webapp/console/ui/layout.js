// What pages are made of: head, toolbar, cards, figures, tables, tabs and menus.
import { setParams, useLater } from "../core.js";
import { html, useEffect, useRef } from "../dom.js";
import { t } from "../texts.js";
import { Guard } from "./feedback.js";
import { Icon } from "./icons.js";

/** One line: what the page is about, beside it what is true of it, and at its end what can be done. */
export const PageHead = ({ title, beside, children }) => html`<div class="page-head"><h1>${title}</h1>${beside}${children && html`<div class="end">${children}</div>`}</div>`;

/** One line above a table: search, filters, and at its end what shapes the table. */
export const Toolbar = ({ label, end, children }) => html`<div class="toolbar" role="group" aria-label=${label ?? t.toolbar}>${children}${end && html`<div class="row end">${end}</div>`}</div>`;

/** A card. flat: a table goes from edge to edge. */
export const Panel = ({ title, flat, children }) => html`<section class=${`panel ${flat ? "flat" : ""}`}>${title && html`<h2>${title}</h2>`}<${Guard}>${children}<//></section>`;

/** A line without axes: how something went, beside the number that it is now. A gap stays open. */
export function Spark({ values, colour = "f-running" }) {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (known.length < 2) return null;
  const most = Math.max(...known) || 1;
  const at = (value, i) => `${((100 * i) / (values.length - 1)).toFixed(1)} ${(27 - (24 * value) / most).toFixed(1)}`;
  let isOpen = false;
  const line = values.map((value, i) => {
    const is = value !== null && value !== undefined;
    const part = is ? `${isOpen ? "L" : "M"}${at(value, i)}` : "";
    isOpen = is;
    return part;
  }).join("");
  return html`<svg class=${`spark ${colour}`} viewBox="0 0 100 28" width="64" height="28" preserveAspectRatio="none" fill="none" stroke="currentcolor" stroke-width="1.5" aria-hidden="true">${known.length === values.length && html`<path fill="currentcolor" fill-opacity=".12" stroke="none" d=${`${line}L100 28L0 28Z`} />`}<path vector-effect="non-scaling-stroke" d=${line} /></svg>`;
}

/** A figure with its trend; with an address it leads to what it counts. */
export function Stat({ label, value, hint, href, trend, colour, data }) {
  const inner = html`${trend && html`<${Spark} values=${trend} colour=${colour} />`}<span>${label}</span><b class=${colour ?? ""} data-stat=${data}>${value}</b><span>${hint}</span>`;
  return href ? html`<a class="stat" href=${href}>${inner}</a>` : html`<div class="stat">${inner}</div>`;
}

export const Stats = ({ children }) => html`<div class="stats">${children}</div>`;

/** How much of it is done. */
export const Meter = ({ part, of, colour = "f-complete" }) => html`<svg class=${`meter ${colour}`} width="64" height="6" fill="currentcolor" aria-hidden="true"><rect width=${`${of > 0 ? Math.min(100, (100 * part) / of) : 0}%`} height="6" /></svg>`;

/** Nothing is here, what that means, and what can be done about it. */
export const Empty = ({ icon, title, children }) => html`<div class="pf-v6-c-empty-state pf-m-sm"><div class="pf-v6-c-empty-state__content"><div class="pf-v6-c-empty-state__icon"><${Icon} name=${icon ?? "nothing"} /></div>
  <p class="pf-v6-c-empty-state__title-text">${title}</p><div class="pf-v6-c-empty-state__body">${children}</div></div></div>`;

export function Facts({ of }) {
  const shown = of.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return html`<dl class="pf-v6-c-description-list pf-m-horizontal-on-md">${shown.map(([name, value]) => html`<div class="pf-v6-c-description-list__group"><dt class="pf-v6-c-description-list__term">${name}</dt><dd class="pf-v6-c-description-list__description">${value}</dd></div>`)}</dl>`;
}

const flat = (children) => [children].flat(Infinity).filter((child) => child && typeof child === "object");

/** On a narrow screen a row is a card, and each of its cells says what it is. */
function named(rows, head) {
  // What the row is about speaks for itself.
  const first = typeof head[0] === "string" ? 1 : 3;
  for (const row of flat(rows)) {
    flat(row.props?.children).forEach((cell, i) => {
      if (cell.type === "td" && typeof head[i] === "string" && i >= first) cell.props["data-label"] = head[i];
    });
  }
  return rows;
}

/** A table, which scrolls sideways where it is too wide. */
export const Table = ({ label, head, children }) => html`<div class="wide" tabindex="0" role="region" aria-label=${label}><table class="cards">
  <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${named(children, head)}</tbody></table></div>`;

/** Pages of a long list. */
export const Pages = ({ first, next, firstLabel = t.first, nextLabel = t.more }) => (first || next) && html`<div class="row">${first && html`<button type="button" onClick=${first}>${firstLabel}</button>`}${next && html`<a class="button" href=${next}>${nextLabel}</a>`}</div>`;

const PART = 50;

/** A page of a list that is loaded whole; name: the parameter that says which. A number beyond the end is the last page. */
export function Part({ of, params, name = "page", children }) {
  const last = Math.max(1, Math.ceil(of.length / PART));
  const page = Math.min(last, Math.max(1, Number(params.get(name)) || 1));
  const turn = (to) => () => setParams({ [name]: String(to) });
  return html`${children(of.slice((page - 1) * PART, page * PART))}
    ${last > 1 && html`<div class="row" data-part=${name}>${page > 1 && html`<button type="button" onClick=${turn(page - 1)}>${t.before}</button>`}${page < last && html`<button type="button" onClick=${turn(page + 1)}>${t.next}</button>`}<span class="quiet small">${t.pageOf(page, last)}</span></div>`}`;
}

/** Tabs are links; data: what a tab is called in its element. */
export const Tab = ({ href, isCurrent, hint, data, children }) => html`<li class=${`pf-v6-c-tabs__item ${isCurrent ? "pf-m-current" : ""}`}><a class="pf-v6-c-tabs__link" href=${href} title=${hint} data-tab=${data} aria-current=${isCurrent ? "page" : undefined}>${children}</a></li>`;

/** Where there is no room for all, the current one is in view. */
export function TabList({ label, children }) {
  const list = useRef(null);
  const current = [children].flat(Infinity).filter(Boolean).findIndex((tab) => tab.props?.isCurrent);
  useEffect(() => {
    const tab = list.current.children[current];
    if (tab) list.current.scrollLeft = Math.max(0, tab.offsetLeft + tab.offsetWidth - list.current.clientWidth);
  }, [current]);
  return html`<nav class="pf-v6-c-tabs" aria-label=${label}><ul class="pf-v6-c-tabs__list tabs" ref=${list}>${children}</ul></nav>`;
}

export const Tabs = ({ label, of, current }) => html`<${TabList} label=${label}>${of.map(([key, name, href]) => html`<${Tab} key=${key} href=${href} isCurrent=${key === current}>${name}<//>`)}<//>`;

/** A button that opens what is below it; Escape and a click elsewhere close it. */
export function Menu({ label, icon, name, large, fromLeft, className = "", children }) {
  const ref = useRef(null);
  // What it has may be most of a page, and is seen when it is opened.
  const hasContent = useLater();
  useEffect(() => {
    const close = () => {
      ref.current.open = false;
    };
    const onKey = (event) => {
      if (event.key !== "Escape" || !ref.current.open || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      close();
      ref.current.querySelector("summary").focus();
    };
    const onClick = (event) => {
      // What was drawn anew by this click is not elsewhere; a link leads away.
      if (event.target.closest?.("a[href]")) close();
      else if (event.target.isConnected && !ref.current.contains(event.target) && !event.target.closest("dialog")) close();
    };
    addEventListener("keydown", onKey);
    addEventListener("click", onClick);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("click", onClick);
    };
  }, []);
  return html`<details class=${`menu ${large ? "large" : ""} ${fromLeft ? "from-left" : ""} ${className}`} data-menu=${name} ref=${ref}><summary class="button">${icon && html`<${Icon} name=${icon} />`}${label}<${Icon} name="down" /></summary><div>${hasContent && children}</div></details>`;
}
