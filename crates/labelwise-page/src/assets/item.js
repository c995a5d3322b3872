// What an item looks like.

import { h } from "./dom.js";
import { code, markdown } from "./markdown.js";

/** Paragraphs of plain text. */
function paragraphs(text) {
  return String(text)
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== "")
    .map((part) => h("p", { class: "plain" }, part));
}

const ROLES = { system: "System prompt", developer: "System prompt", user: "User", assistant: "Assistant", tool: "Tool", function: "Tool" };

/** The text of a message's content, which may have parts. */
function contentText(content) {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2);
  const part = (one) => (typeof one === "string" ? one : (one?.text ?? one?.content ?? `[${one?.type ?? "part"}]`));
  return content.map((one) => (typeof part(one) === "string" ? part(one) : JSON.stringify(part(one)))).join("\n\n");
}

function words(text) {
  const count = text.split(/\s+/).filter(Boolean).length;
  return count === 1 ? "1 word" : `${count} words`;
}

function folded(summary, detail, ...body) {
  return h("details", { class: "fold" }, h("summary", {}, h("span", {}, summary), detail ? h("span", { class: "quiet" }, ` ${detail}`) : null), h("div", { class: "folded" }, body));
}

/** JSON with its keys in their order. Where the browser can, numbers keep their digits: of a long id, none may change. */
function parsed(text) {
  return JSON.parse(text, (key, value, context) => (typeof value === "number" && context?.source && JSON.rawJSON ? JSON.rawJSON(context.source) : value));
}

function pretty(text) {
  try {
    return JSON.stringify(parsed(text), null, 2);
  } catch {
    return text;
  }
}

function messages(text) {
  const value = parsed(text);
  return Array.isArray(value) ? value : value.messages;
}

function toolCall(call) {
  const name = String(call?.function?.name ?? call?.name ?? "tool");
  const given = call?.function?.arguments ?? call?.arguments ?? call?.input ?? "";
  const text = typeof given === "string" ? pretty(given) : JSON.stringify(given, null, 2);
  return h("div", { class: "call" }, folded(["Called ", h("code", {}, name)], "", code(text)));
}

function message(one) {
  const role = String(one.role);
  const text = contentText(one.content);
  const calls = (Array.isArray(one.tool_calls) ? one.tool_calls : []).map(toolCall);
  if (role === "system" || role === "developer") return folded(ROLES[role], words(text), paragraphs(text));
  if (role === "tool" || role === "function") {
    return h("div", { class: "call" }, folded(["Result", one.name ? [" of ", h("code", {}, String(one.name))] : ""], words(text), code(pretty(text))));
  }
  return h("div", { class: `message ${role === "user" ? "asks" : ""}` }, h("p", { class: "role" }, ROLES[role] ?? role), text ? markdown(text) : null, calls);
}

/** JSON as text, long parts folded. */
function json(value) {
  if (Array.isArray(value) || (value !== null && typeof value === "object")) {
    const entries = Object.entries(value);
    const isSmall = JSON.stringify(value).length < 400;
    if (isSmall) return code(JSON.stringify(value, null, 2));
    return h("dl", { class: "columns" }, entries.slice(0, 200).map(([name, part]) => row(name, inner(part))));
  }
  return code(JSON.stringify(value, null, 2));
}

function inner(part) {
  if (JSON.isRawJSON?.(part)) return h("span", { class: "plain" }, part.rawJSON);
  if (part === null || typeof part !== "object") return h("span", { class: "plain" }, String(part));
  const text = JSON.stringify(part, null, 2);
  return text.length < 400 ? code(text) : folded(Array.isArray(part) ? `${part.length} values` : `${Object.keys(part).length} fields`, "", code(text));
}

function row(name, value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

/** One column. `column` names it to the server. */
function block(item, field, column) {
  try {
    return shown(item, field, column);
  } catch {
    // What cannot be shown as what it is, is shown as text.
    return h("div", { class: "text" }, paragraphs(field.value));
  }
}

function shown(item, field, column) {
  const address = `/api/media?item=${encodeURIComponent(item)}&column=${encodeURIComponent(column)}`;
  const cut = field.cut ? h("p", { class: "quiet" }, "The text is longer; the rest is not shown.") : null;
  switch (field.kind) {
    case "heading":
      return h("p", { class: "heading" }, String(field.value));
    case "chat":
      return h("div", { class: "chat" }, messages(field.value).map(message));
    case "json":
      return json(parsed(field.value));
    case "code":
      return [code(String(field.value)), cut];
    case "markdown":
      return [h("div", { class: "text" }, markdown(String(field.value))), cut];
    case "image": {
      // Names of files can say what the label is, or which side is whose.
      const image = h("img", { src: address, alt: field.name ? `Image: ${field.name}` : "Image" });
      image.addEventListener("error", () => image.replaceWith(h("p", { class: "quiet" }, `${field.value || "The file"} cannot be shown: it is not below --media, or not an image.`)));
      return image;
    }
    case "audio": {
      const audio = h("audio", { src: address, controls: true, preload: "auto", "aria-label": field.name ? `Recording: ${field.name}` : "Recording" });
      audio.addEventListener("error", () => audio.replaceWith(h("p", { class: "quiet" }, `${field.value || "The file"} cannot be played: it is not below --media, or not a recording.`)));
      return audio;
    }
    default:
      return [h("div", { class: "text" }, paragraphs(field.value)), cut];
  }
}

function titled(name, body) {
  return h("section", { class: "column" }, h("p", { class: "role" }, name), body);
}

/** The columns of one side or item. */
function columns(item, fields, columnOf) {
  const open = fields.filter((field) => !field.fold);
  const hidden = fields.filter((field) => field.fold);
  const long = open.filter((field) => field.kind !== "short");
  const short = open.filter((field) => field.kind === "short");
  const isNamed = long.filter((field) => field.kind !== "heading").length > 1;
  const body = long.map((field) => {
    const part = block(item, field, columnOf(field));
    return isNamed && field.kind !== "heading" && field.name ? titled(field.name, part) : part;
  });
  const table = short.length > 0 ? h("dl", { class: long.length > 0 ? "columns" : "columns alone" }, short.map((field) => row(field.name, h("span", { class: "plain" }, String(field.value))))) : null;
  const summary = hidden.length === 1 ? hidden[0].name : `${hidden.length} more columns`;
  const more = hidden.length > 0 ? folded(summary, "", hidden.map((field) => (hidden.length === 1 ? block(item, field, columnOf(field)) : titled(field.name, block(item, field, columnOf(field)))))) : null;
  return [body, table, more];
}

/** The item; its heading takes the focus. */
export function itemView(view) {
  const heading = h("h1", { tabindex: "-1", id: "item-title" }, h("span", { class: "sr" }, `Item ${view.number}: `), view.item);
  const hint = view.sides?.length ? h("span", { class: "quiet" }, "Sides are in random order, new for every item") : null;
  const sides = view.sides
    ? h(
        "div",
        { class: "sides" },
        ["A", "B"].map((side, place) =>
          h("section", { class: "side", "aria-label": `Side ${side}` }, h("p", { class: "letter", "aria-hidden": "true" }, side), columns(view.item, view.sides[place], (field) => field.column ?? side.toLowerCase())),
        ),
      )
    : null;
  const shared = columns(view.item, view.fields, (field) => field.name);
  return h(
    "article",
    { class: view.sides ? "item wide" : "item", "aria-labelledby": "item-title" },
    h("div", { class: "ids" }, heading, hint),
    view.sides ? h("div", { class: "shared" }, shared) : shared,
    sides,
  );
}
