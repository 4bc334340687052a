// Fields, dialogs, and actions that ask before they do something.
import { html, useEffect, useRef, useState } from "../dom.js";
import { newKey, Refusal, say } from "../core.js";
import { t } from "../texts.js";
import { Copy } from "./documents.js";
import { ErrorNote } from "./feedback.js";

let fields = 0;

/** What a field is called within a sentence. */
const nameOf = (label) => label.replace(/ \*$/, "");

/** What the browser finds wrong with an input, in the words of the page. */
function complaintOf({ validity, validationMessage, min, max }, label) {
  const name = nameOf(label);
  if (validity.valueMissing) return t.form.required(name);
  if (validity.badInput) return t.form.number(name);
  if (validity.stepMismatch) return t.form.whole(name);
  if (validity.typeMismatch) return t.form.pattern(name);
  if (validity.rangeUnderflow) return t.form.least(name, min);
  return validity.rangeOverflow ? t.form.most(name, max) : validationMessage;
}

/** What the server found wrong with a field, as a sentence that names it. */
export function wrongAt(error, name, label) {
  const message = error?.problem?.violations?.find(({ field }) => field.replace(/^grants\[\d+]\./, "").replaceAll("/", ".") === name)?.message;
  return message && /^(is|must|has|may|can)\b/.test(message) ? `${nameOf(label)} ${message}${/[.!?]$/.test(message) ? "" : "."}` : message;
}

/** A label, an input, and what is wrong with it: of a form that was sent, until the input is changed, or what the page says. */
export function Field({ label, hint, wrong, children: input }) {
  const [id] = useState(() => `field-${++fields}`);
  const [complaint, complain] = useState(null);
  const sentence = complaint ?? wrong;
  const onInvalid = (event) => {
    // At the field, and not in a bubble of the browser.
    event.preventDefault();
    complain(complaintOf(event.target, label));
    if (event.target.form.querySelector(":is(input, select, textarea):invalid") === event.target) event.target.focus();
  };
  // After the page has taken what was typed, and not before: drawn again in between, the input would have what it had.
  const andForget = (handler) => (event) => {
    handler?.(event);
    complain(null);
  };
  const { onInput, onChange } = input.props;
  const props = { ...input.props, id, onInvalid, ...(onInput ? { onInput: andForget(onInput) } : { onChange: andForget(onChange) }), ...((hint || sentence) && { "aria-describedby": `${id}-hint` }), ...(sentence && { "aria-invalid": "true" }) };
  return html`<div class="field"><label for=${id}>${label}</label> <${input.type} ref=${input.ref} ...${props} />
    ${(hint || sentence) && html`<div id=${`${id}-hint`}>${hint && html`<span class="hint">${hint}</span>`} ${sentence && html`<span class="wrong">${sentence}</span>`}</div>`}</div>`;
}

/** A modal dialog; Escape and the button close it, and the focus returns to where it was. */
export function Dialog({ title, isBroad, onClose, children }) {
  const ref = useRef(null);
  const before = useRef(document.activeElement);
  useEffect(() => {
    ref.current.showModal();
    return () => (before.current?.isConnected ? before.current : document.getElementById("main"))?.focus();
  }, []);
  return html`<dialog ref=${ref} class=${isBroad ? "broad" : ""} aria-label=${title} onClose=${onClose}><header class="pf-v6-c-modal-box__header"><h2 class="pf-v6-c-modal-box__title">${title}</h2></header><div class="pf-v6-c-modal-box__body">${children}</div></dialog>`;
}

/** Whether a refused change may have taken effect all the same: its answer was lost. */
const isUnknown = (refused) => refused.status === 0 || refused.status >= 500;

/**
 * Asks for the reason and what else an action needs, sends it, and shows a refusal in its own words. The key of the request is made when the dialog opens:
 * after a lost answer the same request has the same key, so that it takes effect once.
 *
 * confirm: what the button that sends it says; keep: what the other one says. fields: [{name, label, hint?, kind?: text|area|check|select|number|date|datetime-local, value?, min?, max?}]; send(values, key) makes the request. now: what is true of the object, in words;
 * after a conflict the dialog shows it, loaded anew by onConflict, and offers to look at it instead of sending again.
 */
export function ActionDialog({ title, confirm = title, keep = t.action.keep, sentence, fields: asked = [], withReason = true, isDangerous, send, now, onConflict, onClose, onDone }) {
  const [values, set] = useState(() => Object.fromEntries(asked.map((field) => [field.name, field.value ?? (field.kind === "check" ? false : "")])));
  const [reason, setReason] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const key = useRef(null);
  key.current ??= newKey();
  // About the object as it was when the dialog opened, whatever moves meanwhile.
  const first = useRef(send);
  const lost = useRef(null);
  const sending = useRef(false);
  const hasConflict = !!now && error?.status === 409;
  const submit = async (event) => {
    event.preventDefault();
    // A double click comes before the button is drawn disabled.
    if (sending.current) return;
    sending.current = true;
    busy(true);
    setError(null);
    const content = JSON.stringify([values, reason.trim()]);
    if (lost.current !== null && lost.current !== content) key.current = newKey();
    try {
      const answer = await first.current({ ...values, reason: reason.trim() }, key.current);
      say(t.done);
      onDone?.(answer);
      onClose();
    } catch (refused) {
      setError(refused instanceof Refusal ? refused : new Refusal(400, { title: refused.message, detail: "" }));
      lost.current = isUnknown(refused) ? content : null;
      if (!isUnknown(refused)) key.current = newKey();
      if (refused.status === 409) onConflict?.();
      sending.current = false;
      busy(false);
    }
  };
  const input = (field) => {
    const update = (event) => set({ ...values, [field.name]: field.kind === "check" ? event.target.checked : event.target.value });
    if (field.kind === "area") return html`<textarea name=${field.name} value=${values[field.name]} onInput=${update}></textarea>`;
    if (field.kind === "check") return html`<input type="checkbox" name=${field.name} checked=${values[field.name]} onChange=${update} />`;
    if (field.kind === "select") return html`<select name=${field.name} value=${values[field.name]} required=${field.required} onChange=${update}>${field.options.map((o) => html`<option value=${o}>${o}</option>`)}</select>`;
    return html`<input type=${field.kind ?? "text"} name=${field.name} value=${values[field.name]} onInput=${update} required=${field.required} min=${field.min} max=${field.max} step=${field.step} />`;
  };
  return html`<${Dialog} title=${title} onClose=${onClose}><form onSubmit=${submit}>
    <p>${sentence}</p>
    ${asked.map((field) => html`<${Field} key=${field.name} label=${field.label} hint=${field.hint} wrong=${wrongAt(error, field.name, field.label)}>${input(field)}<//>`)}
    ${withReason && html`<${Field} label=${t.reason}><input required maxlength="1000" name="reason" value=${reason} onInput=${(e) => setReason(e.target.value)} /><//>`}
    ${error && html`<${ErrorNote} error=${error} />`}
    ${lost.current !== null && !isBusy && html`<p class="note warn" role="alert" data-lost>${t.action.lost}</p>`}
    ${hasConflict && html`<p class="note warn" role="alert" data-now>${t.action.now} <strong>${now}</strong></p>`}
    <div class="row">${hasConflict ? html`<button type="button" class="main" onClick=${onClose}>${t.action.look}</button>`
      : html`<button class=${isDangerous ? "danger" : "main"} disabled=${isBusy}>${lost.current !== null && !isBusy ? t.action.again : confirm}</button>`}<button type="button" onClick=${onClose}>${keep}</button></div>
  </form><//>`;
}

/**
 * A button that opens its dialog; absent for a caller who may not. The open dialog stays when the action is not offered any more. of: what is acted on, as its
 * reader calls it, for the title; kind: what it is, for the button that does it. isMain: it is what fits here.
 */
export function Action({ label, of, kind, isMain, isAllowed = true, isOffered = true, ...dialog }) {
  const [isOpen, set] = useState(false);
  return isAllowed && html`${isOffered && html`<button type="button" aria-haspopup="dialog" class=${isMain ? "main" : dialog.isDangerous ? "danger" : ""} onClick=${() => set(true)}>${label}</button>`}
    ${isOpen && html`<${ActionDialog} title=${of ? t.action.ask(label, of) : label} confirm=${kind ? t.action.does(label, kind) : label} ...${dialog} onClose=${() => set(false)} />`}`;
}

/** What only the answer that made it has: a password, a key, a secret. Without a text there is none to show. */
export const Secret = ({ sentence, text, onClose }) => html`<div class="note warn" role="status">${sentence} ${text && html`<${Copy} text=${text} />`} ${onClose && html`<button type="button" onClick=${onClose}>${t.close}</button>`}</div>`;
