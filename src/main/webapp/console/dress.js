// What PatternFly calls the parts of a page: pages say "panel" or "main", and get the classes that its style sheets know. ADR 0079.

const OF_TAG = {
  table: "pf-v6-c-table pf-m-compact", thead: "pf-v6-c-table__thead", tbody: "pf-v6-c-table__tbody", tr: "pf-v6-c-table__tr", dialog: "pf-v6-c-modal-box pf-m-sm",
};
const OF_CLASS = {
  panel: "pf-v6-c-card", stat: "pf-v6-c-card", "sign-in": "pf-v6-c-card", toast: "pf-v6-c-alert pf-m-info", note: "pf-v6-c-alert pf-m-inline", warn: "pf-m-warning", bad: "pf-m-danger", badge: "pf-v6-c-badge pf-m-unread", broad: "pf-m-md",
};
/** A button is a secondary one unless it is one of these. */
const BUTTONS = { main: "pf-m-primary", danger: "pf-m-secondary pf-m-danger", link: "pf-m-link pf-m-inline", plain: "pf-m-plain" };

function found(type, classes) {
  const own = classes.split(" ").filter(Boolean);
  const isButton = type === "button" || own.includes("button");
  return [own, OF_TAG[type], own.map((name) => OF_CLASS[name]), isButton && ["pf-v6-c-button pf-m-small", BUTTONS[own.find((name) => BUTTONS[name])] ?? "pf-m-secondary"]].flat(2).filter(Boolean).join(" ");
}

/** Pages have some hundred combinations of a tag and classes, and thousands of elements. */
const known = new Map();

function classesOf({ type, props }) {
  const key = `${type} ${props.class ?? ""}`;
  const classes = known.get(key) ?? found(type, props.class ?? "");
  known.set(key, classes);
  return classes;
}

const dressed = new WeakSet();

/** The same markup with PatternFly's classes; what has them already is left, with all below it. */
export function dress(node) {
  if (Array.isArray(node)) node.forEach(dress);
  else if (node && typeof node === "object" && !dressed.has(node)) {
    dressed.add(node);
    if (typeof node.type === "string") {
      const classes = classesOf(node);
      if (classes) node.props.class = classes;
    }
    if (node.props) dress(node.props.children);
  }
  return node;
}
