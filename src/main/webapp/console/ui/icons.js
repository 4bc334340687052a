// Icons as lines of SVG, in the colour of the text beside them, which says what they mean.
import { html } from "../dom.js";

const PATHS = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z",
  tasks: "M9 6h11M9 12h11M9 18h11M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2",
  failures: "M12 4 2.5 20h19zM12 10v4M12 17v.5",
  approvals: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20c0-3.5 3.5-5 8-5M15 18l2 2 4-4",
  templates: "M9 4h6v5H9zM3 15h6v5H3zM15 15h6v5h-6zM12 9v3M6 15v-3h12v3",
  schedules: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2",
  webhooks: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  servers: "M4 4h16v7H4zM4 13h16v7H4zM8 7.5v.1M8 16.5v.1",
  queues: "M4 6h16M4 12h16M4 18h9M17 16l3 2-3 2",
  policies: "M12 20a8 8 0 1 1 8-8M12 12l5-4",
  analytics: "M4 20V4M4 20h16M8 16l4-5 3 3 5-7",
  retention: "M4 4h16v4H4zM6 8v12h12V8M10 12h4",
  access: "M8 15a4 4 0 1 1 3.5-6H21v4h-2v3h-3v-3h-4.500A4 4 0 0 1 8 15",
  audit: "M6 3h9l4 4v14H6zM9 11h7M9 15h7",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M20 20l-4-4",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4 3.500-6 8-6s8 2 8 6",
  place: "M4 5h16v14H4zM4 10h16M10 10v9",
  filter: "M4 5h16l-6 8v6l-4-2v-4z",
  columns: "M4 5h16v14H4zM10 5v14M15 5v14",
  view: "M6 4h12v17l-6-4-6 4z",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  down: "M7 10l5 5 5-5",
  nothing: "M4 13l3-8h10l3 8v6H4zM4 13h5l1.500 2.500h3L15 13h5",
};

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" width="1.15em" height="1.15em" fill="none" stroke="currentcolor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name] ?? PATHS.nothing} /></svg>`;

/** The mark of the product: a step and the two that follow. */
export const Mark = () => html`<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0f766e" /><path d="M12 16 20.500 9.500M12 16l8.500 6.500" stroke="#fff" stroke-width="2" fill="none" /><g fill="#fff"><circle cx="10.500" cy="16" r="4" /><circle cx="22" cy="9" r="3.250" /><circle cx="22" cy="23" r="3.250" /></g></svg>`;
