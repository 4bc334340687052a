// A form made from a JSON Schema: one field for each property, or the document as JSON.
import { html, useState } from "./dom.js";
import { t } from "./texts.js";
import { Field } from "./ui.js";

const typeOf = (schema) => (Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type) ?? (schema.enum ? "enum" : "any");

/** The value that a field's text stands for; undefined for an empty one. */
function read(schema, text) {
  if (text === "" || text === undefined) return undefined;
  if (schema.enum) return schema.enum.find((one) => String(one) === text);
  if (typeOf(schema) === "boolean") return text === "true";
  if (typeOf(schema) === "string") return text;
  return JSON.parse(text);
}

/** The text of a field that stands for a value. */
const write = (schema, value) => (value === undefined ? "" : typeof value === "string" && (schema.enum || typeOf(schema) === "string") ? value : JSON.stringify(value));

function Input({ name, schema, value, onInput }) {
  const update = (event) => onInput(event.target.value);
  const choices = schema.enum ?? (typeOf(schema) === "boolean" ? [true, false] : null);
  if (choices) return html`<select name=${name} value=${value ?? ""} onChange=${update}><option value="">${t.templates.unset}</option>${choices.map((one) => html`<option value=${String(one)}>${String(one)}</option>`)}</select>`;
  if (["object", "array", "any"].includes(typeOf(schema))) return html`<textarea name=${name} value=${value ?? ""} onInput=${update}></textarea>`;
  const isNumber = ["integer", "number"].includes(typeOf(schema));
  return html`<input name=${name} type=${isNumber ? "number" : "text"} step=${isNumber ? (typeOf(schema) === "integer" ? "1" : "any") : undefined} value=${value ?? ""} onInput=${update} />`;
}

/**
 * What a form of the schema holds. `read()` has the document, or throws a SyntaxError with the `field` that is no JSON;
 * `fields(error)` draws it, with the violations that the server named below `pointer`. A document that the
 * fields would not give back as it is stays JSON, so that nothing of it is lost.
 */
export function useDocument({ schema, initial, pointer, label }) {
  const properties = schema?.properties ?? {};
  const hasForm = Object.keys(properties).length > 0;
  /** Whether the fields give back the same document. */
  const fits = (document) => Object.entries(document).every(([name, value]) => properties[name] && JSON.stringify(read(properties[name], write(properties[name], value))) === JSON.stringify(value));
  const texts = (document) => Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, write(property, document ? document[name] : property.default)]));
  const [isRaw, raw] = useState(() => !hasForm || !fits(initial ?? {}));
  const [values, set] = useState(() => texts(initial));
  const [text, setText] = useState(() => JSON.stringify(initial ?? {}, null, 2));
  const document = () => {
    if (isRaw) return JSON.parse(text);
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => {
      try {
        return [name, read(property, values[name])];
      } catch (wrong) {
        throw Object.assign(wrong, { field: name });
      }
    }).filter(([, value]) => value !== undefined));
  };
  const turn = (event) => {
    if (event.target.checked) {
      try {
        setText(JSON.stringify(document(), null, 2));
      } catch {
        // What is not JSON stays in the form.
      }
      raw(true);
      return;
    }
    try {
      const typed = JSON.parse(text);
      if (fits(typed)) {
        set(texts(typed));
        raw(false);
        return;
      }
    } catch {
      // What is not JSON stays as it was typed.
    }
    event.target.checked = true;
  };
  const fields = (error) => {
    const wrong = (name) => error?.problem?.violations?.find((violation) => violation.field === `${pointer}/${name}`)?.message;
    return html`${hasForm && html`<p><label><input type="checkbox" name=${`${pointer}-json`} checked=${isRaw} onChange=${turn} /> ${t.templates.raw}</label></p>`}
      ${isRaw ? html`<${Field} label=${label}><textarea name=${pointer} value=${text} onInput=${(e) => setText(e.target.value)}></textarea><//>`
      : Object.entries(properties).map(([name, property]) => html`<${Field} key=${name} label=${`${property.title ?? name}${schema.required?.includes(name) ? " *" : ""}`} hint=${property.description} wrong=${wrong(name)}>
        ${Input({ name, schema: property, value: values[name], onInput: (value) => set((old) => ({ ...old, [name]: value })) })}<//>`)}`;
  };
  return { hasForm, read: document, fields };
}

/** What is shown for a document that is not JSON. */
export const asError = (refused, label) => (refused instanceof SyntaxError
  ? { status: 400, message: `${refused.field ?? label}: ${t.task.notJson(refused.message)}`, problem: { title: t.templates.mustBeJson } } : refused);
