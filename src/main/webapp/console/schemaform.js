// A form made from a JSON Schema: one field for each property, or the document as JSON.
import { parseExact } from "./core.js";
import { html, useState } from "./dom.js";
import { t } from "./texts.js";
import { fromInput, toInput } from "./time.js";
import { Field, wrongAt } from "./ui/index.js";

const typeOf = (schema) => (Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type) ?? (schema.enum ? "enum" : "any");

const isTime = (schema) => typeOf(schema) === "string" && schema.format === "date-time";

/**
 * The properties of a schema in the order in which its author wrote them, which the normal form does not keep: where each stands in the source, the one that is
 * indented least if a name stands there several times.
 */
export function ordered(properties, source) {
  const names = Object.keys(properties ?? {});
  const begin = source ? source.search(/(["']?)input_schema\1\s*:/) : -1;
  if (begin < 0) return names;
  const text = source.slice(begin);
  const place = (name) => {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const found = [...text.matchAll(new RegExp(`(^|[\\s{,])["']?${escaped}["']?\\s*:`, "gm"))].map((match) => ({ at: match.index, indent: match.index - text.lastIndexOf("\n", match.index) }));
    return found.sort((a, b) => a.indent - b.indent || a.at - b.at)[0]?.at ?? Infinity;
  };
  return names.map((name) => [name, place(name)]).sort(([, a], [, b]) => a - b || 0).map(([name]) => name);
}

/** What is wrong with the text of a field, as a sentence with its name; the server checks all that is not here. */
function complaint(schema, text, isRequired, name) {
  if (text === "" || text === undefined) return isRequired ? t.form.required(name) : null;
  if (schema.enum || typeOf(schema) === "boolean") return null;
  if (["integer", "number"].includes(typeOf(schema))) {
    const value = Number(text);
    if (!Number.isFinite(value)) return t.form.number(name);
    if (typeOf(schema) === "integer" && !Number.isInteger(value)) return t.form.whole(name);
    if (value < schema.minimum) return t.form.least(name, schema.minimum);
    if (value > schema.maximum) return t.form.most(name, schema.maximum);
    if (value <= schema.exclusiveMinimum) return t.form.above(name, schema.exclusiveMinimum);
    return value >= schema.exclusiveMaximum ? t.form.below(name, schema.exclusiveMaximum) : null;
  }
  if (typeOf(schema) === "string") {
    const length = [...text].length;
    if (length > schema.maxLength) return t.form.longest(name, schema.maxLength);
    return length < schema.minLength ? t.form.shortest(name, schema.minLength) : null;
  }
  try {
    JSON.parse(text);
    return null;
  } catch {
    return t.form.json(name);
  }
}

/** The value that a field's text stands for; undefined for an empty one. */
function read(schema, text) {
  if (text === "" || text === undefined) return undefined;
  if (isTime(schema) && !schema.enum) return fromInput(text);
  if (schema.enum) return schema.enum.find((one) => String(one) === text);
  if (typeOf(schema) === "boolean") return text === "true";
  if (typeOf(schema) === "string") return text;
  return parseExact(text);
}

/** The text of a field that stands for a value. */
const write = (schema, value) => (value === undefined ? "" : isTime(schema) && !schema.enum && typeof value === "string" ? toInput(value) : typeof value === "string" && (schema.enum || typeOf(schema) === "string") ? value : JSON.stringify(value));

function Input({ name, schema, value, onInput }) {
  const update = (event) => onInput(event.target.value);
  const choices = schema.enum ?? (typeOf(schema) === "boolean" ? [true, false] : null);
  if (choices) return html`<select name=${name} value=${value ?? ""} onChange=${update}><option value="">${t.templates.unset}</option>${choices.map((one) => html`<option value=${String(one)}>${String(one)}</option>`)}</select>`;
  if (["object", "array", "any"].includes(typeOf(schema))) return html`<textarea name=${name} value=${value ?? ""} onInput=${update}></textarea>`;
  const isNumber = ["integer", "number"].includes(typeOf(schema));
  const kind = isNumber ? "number" : isTime(schema) ? "datetime-local" : schema.format === "date" ? "date" : schema.format === "email" ? "email" : "text";
  return html`<input name=${name} type=${kind} step=${isNumber ? (typeOf(schema) === "integer" ? "1" : "any") : undefined} value=${value ?? ""} onInput=${update} />`;
}

/**
 * What a form of the schema holds. `read()` has the document, or throws a SyntaxError with the `field` that is no JSON;
 * `fields(error)` draws it, with the violations that the server named below `pointer`. A document that the
 * fields would not give back as it is stays JSON, so that nothing of it is lost.
 */
export function useDocument({ schema, source, initial, pointer, label }) {
  const properties = Object.fromEntries(ordered(schema?.properties, source).map((name) => [name, schema.properties[name]]));
  const named = (name) => properties[name].title ?? name;
  const isRequired = (name) => !!schema.required?.includes(name);
  const hasForm = Object.keys(properties).length > 0;
  /** Whether the fields give back the same document. */
  const fits = (document) => Object.entries(document).every(([name, value]) => properties[name] && JSON.stringify(read(properties[name], write(properties[name], value))) === JSON.stringify(value));
  const texts = (document) => Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, write(property, document ? document[name] : property.default)]));
  const [isRaw, raw] = useState(() => !hasForm || !fits(initial ?? {}));
  const [values, set] = useState(() => texts(initial));
  const [text, setText] = useState(() => JSON.stringify(initial ?? {}, null, 2));
  /** Of the fields as they were when the form was sent; one that is changed has none until then. */
  const [complaints, complain] = useState({});
  const document = () => {
    if (isRaw) return parseExact(text);
    const found = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, complaint(property, values[name], isRequired(name), named(name))]).filter(([, sentence]) => sentence));
    complain(found);
    if (Object.keys(found).length > 0) throw Object.assign(new SyntaxError(t.form.wrong), { fields: Object.keys(found).map(named) });
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
      const typed = parseExact(text);
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
    const wrong = (name) => complaints[name] ?? wrongAt(error, `${pointer}.${name}`, named(name));
    return html`${hasForm && html`<p><label><input type="checkbox" name=${`${pointer}-json`} checked=${isRaw} onChange=${turn} /> ${t.templates.raw}</label></p>`}
      ${isRaw ? html`<${Field} label=${label}><textarea name=${pointer} value=${text} onInput=${(e) => setText(e.target.value)}></textarea><//>`
      : Object.entries(properties).map(([name, property]) => html`<${Field} key=${name} label=${`${named(name)}${isRequired(name) ? " *" : ""}`} hint=${property.description} wrong=${wrong(name)}>
        ${Input({ name, schema: property, value: values[name], onInput: (value) => { set((old) => ({ ...old, [name]: value })); complain(({ [name]: gone, ...rest }) => rest); } })}<//>`)}`;
  };
  return { hasForm, read: document, fields };
}

/** What is shown for a document that is not JSON. */
export const asError = (refused, label) => (refused.fields ? { status: 400, message: t.form.check(refused.fields), problem: { title: t.form.wrong } } : refused instanceof SyntaxError
  ? { status: 400, message: `${refused.field ?? label}: ${t.task.notJson(refused.message)}`, problem: { title: t.templates.mustBeJson } } : refused);

/** Fields of a dialog for a schema whose properties are all single values; null for another one. */
export function fieldsOf(schema) {
  const properties = Object.entries(schema?.properties ?? {});
  if (properties.length === 0 || properties.some(([, one]) => !one.enum && ["object", "array", "any"].includes(typeOf(one)))) return null;
  const kindOf = (one) => {
    if (one.enum || typeOf(one) === "boolean") return { kind: "select", options: ["", ...(one.enum ?? [true, false]).map(String)] };
    if (["integer", "number"].includes(typeOf(one))) return { kind: "number", min: one.minimum, max: one.maximum, step: typeOf(one) === "integer" ? "1" : "any" };
    return isTime(one) ? { kind: "datetime-local" } : one.format === "date" ? { kind: "date" } : {};
  };
  return properties.map(([name, one]) => ({ name: `payload.${name}`, label: `${one.title ?? name}${schema.required?.includes(name) ? " *" : ""}`, hint: one.description, required: schema.required?.includes(name), value: write(one, one.default), ...kindOf(one) }));
}

/** The document that the values of fieldsOf stand for. */
export const documentOf = (schema, values) => Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, read(one, values[`payload.${name}`])]).filter(([, value]) => value !== undefined));
