// Light Markdown as nodes: headings, lists, quotes, code, bold, italic. Links stay text, with their address beside them:
// nothing in an item can be clicked, loaded or run.

import { h } from "./dom.js";

const INLINE = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|(\*[^*\s][^*\n]*\*)|(!?\[[^\]\n]*\]\([^)\s]*\))/g;

/** A line of text with its marks. */
function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(end, match.index));
    const [whole, code, bold, italic] = match;
    if (code) nodes.push(h("code", {}, code.slice(1, -1)));
    else if (bold) nodes.push(h("strong", {}, bold.slice(2, -2)));
    else if (italic) nodes.push(h("em", {}, italic.slice(1, -1)));
    else {
      const [, words, address] = /\[([^\]]*)\]\(([^)]*)\)/.exec(whole);
      nodes.push(words, h("span", { class: "address" }, ` (${address})`));
    }
    end = match.index + whole.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

/** Lines of a paragraph, with their breaks. */
function lines(text) {
  return text.split("\n").flatMap((line, place) => (place > 0 ? [h("br"), ...inline(line)] : inline(line)));
}

const MARKS = [
  { start: /^\s*[-*+]\s+/, tag: "ul" },
  { start: /^\s*\d{1,3}[.)]\s+/, tag: "ol" },
];

/** The blocks of a text. */
export function markdown(text) {
  const blocks = [];
  const rows = text.replaceAll("\r\n", "\n").split("\n");
  for (let at = 0; at < rows.length; ) {
    const row = rows[at];
    const fence = /^\s*(```+|~~~+)\s*([\w+-]*)/.exec(row);
    if (fence) {
      const body = [];
      for (at += 1; at < rows.length && !rows[at].trimStart().startsWith(fence[1]); at += 1) body.push(rows[at]);
      at += 1;
      blocks.push(code(body.join("\n")));
      continue;
    }
    const heading = /^(#{1,6})\s+(.*)$/.exec(row);
    if (heading) {
      blocks.push(h("p", { class: "head" }, inline(heading[2])));
      at += 1;
      continue;
    }
    const mark = MARKS.find(({ start }) => start.test(row));
    if (mark) {
      const items = [];
      for (; at < rows.length && rows[at].trim() !== ""; at += 1) {
        if (mark.start.test(rows[at])) items.push(rows[at].replace(mark.start, ""));
        else if (MARKS.some(({ start }) => start.test(rows[at]))) break;
        else items[items.length - 1] += `\n${rows[at].trim()}`;
      }
      const first = /^\s*(\d+)/.exec(row);
      blocks.push(h(mark.tag, { start: first ? first[1] : null }, items.map((item) => h("li", {}, lines(item)))));
      continue;
    }
    if (/^\s*>/.test(row)) {
      const quoted = [];
      for (; at < rows.length && /^\s*>/.test(rows[at]); at += 1) quoted.push(rows[at].replace(/^\s*>\s?/, ""));
      blocks.push(h("blockquote", {}, lines(quoted.join("\n"))));
      continue;
    }
    if (row.trim() === "") {
      at += 1;
      continue;
    }
    const paragraph = [];
    for (; at < rows.length && rows[at].trim() !== "" && !/^\s*(```|~~~|#{1,6}\s|>)/.test(rows[at]); at += 1) {
      if (paragraph.length > 0 && MARKS.some(({ start }) => start.test(rows[at]))) break;
      paragraph.push(rows[at]);
    }
    blocks.push(h("p", {}, lines(paragraph.join("\n"))));
  }
  return blocks;
}

/** Code that can be scrolled, also with the keyboard. */
export function code(text) {
  return h("pre", { tabindex: "0" }, h("code", {}, text));
}
