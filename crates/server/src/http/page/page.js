// Reads the description and offers each operation as a form.
// Writes text only, never markup: an answer can hold anything.

const METHODS = ["get", "post", "put", "patch", "delete"];

/** An element with properties and children; strings become text. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Text in which backticks mark code. */
function prose(text) {
  const parts = text.split("`");
  return make("p", {}, ...parts.map((part, index) => (index % 2 ? make("code", {}, part) : part)));
}

function resolve(api, schema) {
  const parts = schema?.$ref?.split("/").slice(1);
  return parts ? parts.reduce((at, part) => at[part], api) : (schema ?? {});
}

/** A value that fits a schema, for people to change. */
function sample(api, schema) {
  if (schema?.example !== undefined) return schema.example;
  const at = resolve(api, schema);
  if (at.example !== undefined) return at.example;
  if (at.examples?.length) return at.examples[0];
  if (at.default !== undefined) return at.default;
  if (at.enum) return at.enum[0];
  const choice = (at.oneOf ?? at.anyOf ?? at.allOf)?.find((one) => one.type !== "null");
  if (choice) return sample(api, choice);
  const type = [at.type].flat().find((one) => one !== "null");
  if (type === "object") {
    const fields = Object.entries(at.properties ?? {});
    return Object.fromEntries(fields.map(([name, field]) => [name, sample(api, field)]));
  }
  if (type === "array") return [sample(api, at.items)];
  return { string: "", integer: at.minimum ?? 0, number: 0, boolean: false }[type] ?? null;
}

function parameterField(api, parameter) {
  const schema = resolve(api, parameter.schema);
  const type = [schema.type].flat().find((one) => one !== "null") ?? "string";
  const input = make("input", {
    name: parameter.name,
    required: parameter.required ?? false,
    placeholder: schema.enum?.join(" | ") ?? type,
    autocomplete: "off",
  });
  input.dataset.in = parameter.in;
  const hint = [parameter.required ? "needed" : "optional", parameter.description];
  const note = make("span", { className: "soft" }, hint.filter(Boolean).join(" · "));
  return make("label", { className: "field" }, make("code", {}, parameter.name), note, input);
}

function bodyField(api, body) {
  const schema = body?.content?.["application/json"]?.schema;
  if (!schema) return null;
  const text = JSON.stringify(sample(api, schema), null, 2);
  const area = make("textarea", { name: "body", spellcheck: false, value: text });
  area.rows = text.split("\n").length + 1;
  return make("label", { className: "field" }, "Body, JSON", area);
}

function address(path, form) {
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input")) {
    if (input.dataset.in === "path") {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.dataset.in === "query" && input.value !== "") {
      query.append(input.name, input.value);
    }
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(method, path, form, output) {
  const headers = new Headers();
  const token = document.getElementById("token").value.trim();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const body = form.elements.body?.value;
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const started = performance.now();
  try {
    const answer = await fetch(address(path, form), { method: method.toUpperCase(), headers, body });
    const text = await answer.text();
    const millis = Math.round(performance.now() - started);
    const line = `${answer.status} ${answer.statusText} · ${millis} ms`;
    const sent = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    output.replaceChildren(
      make("p", { className: answer.ok ? "status" : "status bad" }, line),
      ...(text === "" ? [] : [make("pre", { tabIndex: 0 }, pretty(text))]),
      make("details", {}, make("summary", {}, "Headers"), make("pre", { tabIndex: 0 }, sent)),
    );
  } catch (error) {
    output.replaceChildren(make("p", { className: "status bad" }, `No answer: ${error.message}`));
  }
}

function operationCard(api, path, method, operation) {
  const output = make("div");
  output.setAttribute("role", "status");
  const button = make("button", { type: "submit" }, "Send");
  const parameters = (operation.parameters ?? []).map((one) => resolve(api, one));
  const form = make(
    "form",
    {},
    operation.description ? prose(operation.description) : null,
    operation.security ? make("p", { className: "soft" }, "Needs a log-in.") : null,
    ...parameters.map((parameter) => parameterField(api, parameter)),
    bodyField(api, resolve(api, operation.requestBody)),
    button,
    output,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    await send(method, path, form, output);
    button.disabled = false;
  });
  return make(
    "details",
    { className: "operation" },
    make(
      "summary",
      {},
      make("span", { className: `method ${method}` }, method.toUpperCase()),
      make("span", { className: "path" }, path),
      make("span", { className: "soft" }, operation.summary ?? ""),
    ),
    form,
  );
}

function show(api) {
  document.getElementById("version").textContent = api.info.version;
  const about = (api.info.description ?? "").split("\n\n").map(prose);
  document.getElementById("about").replaceChildren(...about);
  // In the order of the description's tags; a tag that it does not list comes last.
  const groups = new Map((api.tags ?? []).map((tag) => [tag.name, []]));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of METHODS.filter((one) => item[one])) {
      const tag = item[method].tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), operationCard(api, path, method, item[method])]);
    }
  }
  const sections = [...groups].map(([tag, cards]) => make("section", {}, make("h2", {}, tag), ...cards));
  document.getElementById("operations").replaceChildren(...sections);
}

try {
  show(await (await fetch("/api/v1/openapi.json")).json());
} catch (error) {
  document.getElementById("notice").textContent = `The description cannot be read: ${error.message}`;
}
document.getElementById("operations").setAttribute("aria-busy", "false");
