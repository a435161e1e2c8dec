// A form for a tool's arguments, made from its schema: fields for what is plain, JSON for the rest, and the whole as JSON
// for whoever prefers that. What is left empty is not sent.
import { html, useId } from "./page.js";

// What kind of field a property gets. `nullable` wrappers (`anyOf` with null, `type` with "null") are looked through.
export function kindOf(schema) {
  if (schema === true || schema == null || typeof schema !== "object") return { kind: "json", schema: {} };
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) {
    const real = choices.filter((one) => one?.type !== "null");
    if (real.length === 1) return kindOf({ ...schema, anyOf: undefined, oneOf: undefined, ...real[0] });
    if (real.every((one) => typeof one?.const === "string")) return { kind: "enum", schema, values: real.map((one) => one.const) };
    return { kind: "json", schema };
  }
  if (Array.isArray(schema.enum)) return { kind: "enum", schema, values: schema.enum.filter((one) => one !== null) };
  if ("const" in schema) return { kind: "enum", schema, values: [schema.const] };
  const types = [schema.type].flat().filter((type) => type !== "null");
  if (types.length !== 1) return { kind: "json", schema };
  const kind = { string: "text", integer: "number", number: "number", boolean: "boolean" }[types[0]];
  if (kind) return { kind, schema, whole: types[0] === "integer" };
  if (types[0] === "object" && schema.properties && Object.keys(schema.properties).length > 0) return { kind: "object", schema };
  return { kind: "json", schema };
}

// The arguments that the entries stand for: `{ value, errors }`, errors by the field's path.
export function readForm(schema, entries, path = "") {
  const value = {};
  const errors = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = path + name;
    const { kind, schema: inner, values, whole } = kindOf(property);
    const needed = (schema.required ?? []).includes(name);
    if (kind === "object") {
      const nested = readForm(inner, entries, at + ".");
      Object.assign(errors, nested.errors);
      if (needed || Object.keys(nested.value).length > 0) value[name] = nested.value;
      continue;
    }
    const entry = entries[at] ?? "";
    if (entry === "") {
      if (needed && kind !== "text") errors[at] = "is needed";
      else if (needed) value[name] = "";
    } else if (kind === "number") {
      const number = Number(entry);
      if (!Number.isFinite(number)) errors[at] = "must be a number";
      else if (whole && !Number.isInteger(number)) errors[at] = "must be a whole number";
      else value[name] = number;
    } else if (kind === "boolean") {
      value[name] = entry === "true";
    } else if (kind === "enum") {
      value[name] = values.find((one) => String(one) === entry);
    } else if (kind === "json") {
      try {
        value[name] = JSON.parse(entry);
      } catch (error) {
        errors[at] = `is no JSON: ${error.message}`;
      }
    } else {
      value[name] = entry;
    }
  }
  return { value, errors };
}

const fallback = (schema) => (schema.default === undefined || schema.default === null ? "" : `default ${JSON.stringify(schema.default)}`);

function hint(kind, schema) {
  const parts = [];
  if (kind === "number") {
    if (schema.minimum != null) parts.push(`from ${schema.minimum}`);
    if (schema.maximum != null) parts.push(`to ${schema.maximum}`);
  }
  return parts.join(" ");
}

function Field({ name, path, property, needed, entries, errors, onEntry }) {
  const id = useId();
  const { kind, schema, values, whole } = kindOf(property);
  const at = path + name;
  const described = property?.description ?? schema.description;
  if (kind === "object") {
    return html`<fieldset><legend><code>${name}</code></legend>
      ${described && html`<p class="weak small"><bdi class="words">${described}</bdi></p>`}
      <${Fields} schema=${schema} path=${at + "."} entries=${entries} errors=${errors} onEntry=${onEntry} /></fieldset>`;
  }
  const error = errors[at];
  const shared = {
    id, value: entries[at] ?? "", required: needed, "aria-invalid": error ? "true" : null, "aria-describedby": `${id}-about`,
    onInput: (event) => onEntry(at, event.currentTarget.value),
  };
  const select = (options) => html`<select ...${shared}><option value="">${needed ? "choose…" : "not sent"}</option>
    ${options.map((one) => html`<option key=${String(one)} value=${String(one)}>${String(one)}</option>`)}</select>`;
  const field = {
    enum: () => select(values),
    boolean: () => select(["true", "false"]),
    number: () => html`<input type="number" step=${whole ? 1 : "any"} placeholder=${fallback(schema)} ...${shared} />`,
    text: () => html`<input type="text" spellcheck="false" autocomplete="off" placeholder=${fallback(schema)} ...${shared} />`,
    json: () => html`<textarea rows="2" spellcheck="false" placeholder="JSON" ...${shared}></textarea>`,
  }[kind]();
  return html`<div class="field">
    <label for=${id}><code>${name}</code>${needed && html`<span class="needed" title="needed"> *</span>`}</label>
    <div>${field}<div id=${`${id}-about`} class="weak small">
      ${described && html`<bdi class="words">${described}</bdi>`}${kind === "number" && html` <span>${whole ? "Whole number" : "Number"} ${hint(kind, schema)}</span>`}
      ${error && html` <span class="error">${error}</span>`}</div></div>
  </div>`;
}

export function Fields({ schema, path = "", entries, errors, onEntry }) {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => html`<${Field} key=${path + name} name=${name} path=${path}
    property=${property} needed=${(schema.required ?? []).includes(name)} entries=${entries} errors=${errors} onEntry=${onEntry} />`);
}
