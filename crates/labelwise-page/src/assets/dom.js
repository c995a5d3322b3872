// Builds the page from nodes. No text ever becomes markup.

/** An element with attributes, handlers (`onclick`) and children. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A key as it is printed on a button. */
export function cap(key, quiet = false) {
  return h("kbd", { class: quiet ? "cap quiet" : "cap", "aria-hidden": "true" }, key);
}

/** A button with its key. */
export function button(key, words, onclick, attributes = {}) {
  const { class: extra = "", ...rest } = attributes;
  return h(
    "button",
    { type: "button", class: `tool ${extra}`, "aria-keyshortcuts": key?.shortcut ?? key, onclick, ...rest },
    key ? cap(key.shown ?? key, true) : null,
    h("span", {}, words),
  );
}

/** Puts children in the place of others. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** 1,234. */
export function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Seconds in a few words. */
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** The local time of a moment. */
export function clock(moment) {
  const date = new Date(moment);
  return Number.isNaN(date.valueOf())
    ? ""
    : `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

/** A moment in a sentence of the server, in local time. */
export function localTimes(sentence) {
  return sentence.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (moment) => clock(moment));
}

/** One thing or several. */
export function counted(number, word) {
  return `${thousands(number)} ${word}${number === 1 ? "" : "s"}`;
}

/** The first letter in upper case, a full stop at the end. */
export function sentence(text) {
  const whole = localTimes(text);
  return whole === "" ? "" : whole[0].toUpperCase() + whole.slice(1) + (/[.!?]$/.test(whole) ? "" : ".");
}
