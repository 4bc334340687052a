// Preact, with two differences: text that comes from outside shows the characters that would hide in it or turn what follows around (the bytes stay what
// they are), and elements have the classes of PatternFly.
import { dress } from "./dress.js";
import { Component, html as raw } from "./vendor/preact-htm.js";

export * from "./vendor/preact-htm.js";

/** Controls, those of direction, and characters without a width: shown as escapes. Tabulators and line ends are layout. */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
/** What is written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const ISOLATE = "\u2068";
const END = "\u2069";

const escaped = (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}`;

/** The text with what it hides made visible; text that runs from right to left stays by itself, so that what stands beside it keeps its place. */
export function visible(text) {
  if (text.startsWith(ISOLATE) && text.endsWith(END)) return visible(text.slice(1, -1));
  const shown = text.replace(HIDDEN, escaped);
  return RIGHT_TO_LEFT.test(shown) ? `${ISOLATE}${shown}${END}` : shown;
}

const child = (value) => (typeof value === "string" ? visible(value) : Array.isArray(value) ? value.map(child) : value);

/** An attribute that is read or heard, and not one that is sent. */
const SHOWN = /(?:^|\s)(?:title|aria-label|placeholder)=$/;

export const html = (strings, ...values) => dress(raw(strings, ...values.map((value, i) => (!strings[i].endsWith("=") || SHOWN.test(strings[i]) ? child(value) : value))));

/** A component that is drawn again only when one of its properties or its own state is another one: the row of a list in which others move. */
export const memo = (draw) => class extends Component {
  shouldComponentUpdate(next, state) {
    return state !== this.state || Object.keys({ ...this.props, ...next }).some((name) => next[name] !== this.props[name]);
  }

  render(props) {
    return draw(props);
  }
};
