// The answers below an item: classes, a search among many, a number, sides, reasons to skip, a note. Methods of the labelling
// screen.

import { cap, clock, fill, h, thousands } from "./dom.js";

export const REASONS = ["cannot tell", "broken", "out of scope"];
export const REASON_WORDS = ["I cannot tell", "It is broken", "Out of scope"];
export const SIDES = { a: "A is better", t: "Tie", b: "B is better" };

export const answering = {
  showAnswers() {
    const { task } = this.state;
    const back = this.place >= 0 ? this.history[this.place] : null;
    const given = back?.given;
    // Both are about the present item.
    this.laterButton.disabled = this.noteButton.disabled = back !== null;
    fill(this.banner, back ? this.backBanner(back) : null);
    this.question.hidden = false;
    fill(this.question, this.state.question);
    this.answers.className = "answers";
    if (this.mode === "skip") this.showReasons();
    else if (task.kind === "pair") fill(this.answers, ["a", "t", "b"].filter((side) => side !== "t" || task.tie).map((side) => this.choice({ name: side, number: side, words: SIDES[side] }, given)));
    else if (task.kind === "number") this.showNumber(given);
    else if (this.isMany) this.showSearch(given);
    else fill(this.answers, task.classes.map((choice) => this.choice(choice, given)), task.open ? this.anotherClass() : null);
    this.answers.classList.toggle("three", task.kind === "pair" && this.mode !== "skip");
    if (this.mode === "note") this.showNote();
  },

  backBanner({ number, given, item }) {
    const what = given.skipped ? "skipped" : ["labelled ", h("strong", {}, this.words(given.label))];
    const kept = this.queue.has(item) ? " (not yet saved)" : "";
    const present = this.items[0];
    return h(
      "div",
      { class: "back" },
      h("p", {}, this.undone ? ["Item ", h("strong", {}, String(number)), " is open again. Until you answer, it stays ", what, kept, "."] : ["You are looking back at item ", h("strong", {}, String(number)), ", which you ", what, given.at ? ` at ${clock(given.at)}` : "", kept, "."]),
      h("button", { type: "button", class: "second", "aria-keyshortcuts": "Escape", onclick: () => this.present() }, cap("Esc"), present ? `Back to item ${present.number}` : "Back"),
    );
  },

  /** A label as people read it. */
  words(label) {
    const { kind, classes } = this.state.task;
    if (kind === "pair") return SIDES[label] ?? label;
    return classes?.find((one) => one.name === label)?.words ?? label;
  },

  choice({ name, number, letter, words = name }, given) {
    const isGiven = given !== undefined && given !== null && given.label === name;
    return h(
      "button",
      {
        type: "button",
        class: isGiven ? "choice given" : "choice",
        "aria-pressed": given ? String(isGiven) : null,
        "aria-keyshortcuts": [number, letter].filter((key) => key !== undefined).join(" ") || null,
        onclick: () => this.answer({ label: name }),
      },
      number === undefined ? null : cap(String(number)),
      h("span", { class: "words" }, words),
      isGiven ? h("span", { class: "tick", "aria-hidden": "true" }, "✓") : letter ? cap(letter, true) : null,
    );
  },

  /** A class that was never predicted. */
  anotherClass() {
    const field = h("input", { id: "another", autocomplete: "off", spellcheck: "false", placeholder: "Another class", "aria-label": "Another class", "aria-keyshortcuts": "/" });
    const save = (event) => {
      event.preventDefault();
      const label = field.value.trim();
      if (label !== "") this.answer({ label });
    };
    return h("form", { class: "another", onsubmit: save }, cap("/"), field, h("button", { class: "second" }, "Save"));
  },

  showNumber(given) {
    const { low, high } = this.state.task;
    const hint = low !== null && high !== null ? `${low} to ${high}.` : "Any number.";
    const field = h("input", { id: "number", inputmode: "decimal", autocomplete: "off", "aria-labelledby": "question", "aria-describedby": "number-hint number-wrong", value: given?.label });
    const wrong = h("p", { id: "number-wrong", class: "wrong", role: "alert" });
    const form = h(
      "form",
      {
        class: "number",
        onsubmit: (event) => {
          event.preventDefault();
          const text = field.value.trim().replace(",", ".");
          const value = Number(text);
          if (text === "" || !Number.isFinite(value)) fill(wrong, `${text === "" ? "Nothing" : `“${text}”`} is not a number.`);
          else if ((low !== null && value < low) || (high !== null && value > high)) fill(wrong, `${text} is not from ${low} to ${high}.`);
          else {
            this.answer({ label: text });
            return;
          }
          field.setAttribute("aria-invalid", "true");
        },
      },
      field,
      h("button", { class: "primary" }, "Save and go on ", cap("Enter")),
      h("p", { id: "number-hint", class: "quiet" }, hint, h("span", { class: "for-keys" }, " Esc leaves the field: then s, d, n, u work.")),
      wrong,
    );
    field.addEventListener("input", () => {
      fill(wrong);
      field.removeAttribute("aria-invalid");
    });
    fill(this.answers, form);
  },

  showSearch(given) {
    const { classes, open } = this.state.task;
    const field = h("input", { id: "search", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", placeholder: "Search", "aria-expanded": "true", "aria-controls": "found", "aria-autocomplete": "list", "aria-labelledby": "question" });
    const count = h("p", { class: "found-count" });
    const list = h("ul", { id: "found", role: "listbox", "aria-label": "Classes" });
    let found = [];
    let chosen = 0;
    const draw = () => {
      const text = field.value.trim().toLowerCase();
      const all = classes.map((one) => one.name);
      const rank = (name) => {
        const at = name.toLowerCase().indexOf(text);
        return at < 0 ? 3 : at === 0 ? 0 : /[\s/_-]/.test(name[at - 1]) ? 1 : 2;
      };
      found = all.map((name, place) => ({ name, place, rank: rank(name) })).filter((one) => one.rank < 3);
      found.sort((one, other) => one.rank - other.rank || one.place - other.place);
      found = found.map((one) => ({ name: one.name }));
      const typed = field.value.trim();
      if (open && typed !== "" && !all.includes(typed)) found.push({ name: typed, isNew: true });
      chosen = Math.min(chosen, Math.max(0, found.length - 1));
      fill(count, h("strong", {}, `${thousands(found.filter((one) => !one.isNew).length)} of ${thousands(all.length)} classes`), h("span", { class: "quiet for-keys" }, "↑ ↓ choose, Enter saves"));
      fill(list, found.slice(0, 50).map((one, place) => this.option(one, place, place === chosen, text, given)));
      const active = list.children[chosen];
      field.setAttribute("aria-activedescendant", active?.id ?? "");
      active?.scrollIntoView({ block: "nearest" });
    };
    field.addEventListener("input", () => {
      chosen = 0;
      draw();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const most = Math.min(found.length, 50);
        chosen = (chosen + (event.key === "ArrowDown" ? 1 : most - 1)) % Math.max(1, most);
        draw();
      } else if (event.key === "Enter" && !event.repeat && found[chosen]) {
        event.preventDefault();
        this.answer({ label: found[chosen].name });
      }
    });
    const recent = this.recent.filter(Boolean);
    const recents = recent.length > 0 ? [h("p", { class: "found-count" }, h("strong", {}, "Your recent ones"), h("span", { class: "quiet for-keys" }, recent.length === 1 ? "Esc, then 1" : `Esc, then 1 to ${recent.length}`)), h("div", { class: "recents" }, this.recent.map((name, place) => (name ? this.choice({ name, number: place + 1 }, given) : null)))] : null;
    this.answers.className = "answers search";
    fill(this.answers, h("div", { class: "field" }, field), count, list, recents);
    draw();
  },

  option({ name, isNew }, place, isChosen, text, given) {
    const at = name.toLowerCase().indexOf(text);
    const marked = text && at >= 0 && !isNew ? [name.slice(0, at), h("mark", {}, name.slice(at, at + text.length)), name.slice(at + text.length)] : [name];
    return h(
      "li",
      { id: `found-${place}`, role: "option", "aria-selected": String(isChosen), class: isChosen ? "chosen" : "", onclick: () => this.answer({ label: name }) },
      h("span", {}, isNew ? ["New class: ", h("strong", {}, name)] : marked),
      given?.label === name ? h("span", { class: "tick" }, "✓") : isChosen ? cap("Enter") : null,
    );
  },

  showReasons() {
    fill(this.question, "Why skip this item?");
    fill(
      this.answers,
      REASON_WORDS.map((words, place) =>
        h("button", { type: "button", class: "choice", "aria-keyshortcuts": String(place + 1), onclick: () => this.answer({ skip: REASONS[place] }) }, cap(String(place + 1)), h("span", { class: "words" }, words)),
      ),
      h("button", { type: "button", class: "choice", "aria-keyshortcuts": "Escape", onclick: () => this.setMode("answer") }, cap("Esc"), h("span", { class: "words" }, "Do not skip")),
    );
  },

  showNote() {
    const field = h("input", { id: "note", maxlength: "1000", autocomplete: "off", value: this.notes.get(this.item.item) });
    const keep = (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text === "") this.notes.delete(this.item.item);
      else this.notes.set(this.item.item, text);
      this.setMode("answer");
      this.say(text === "" ? "No note." : "The note goes with your answer.");
    };
    this.banner.append(h("form", { class: "note", onsubmit: keep }, h("label", { for: "note" }, `Note on ${this.item.item}, kept with your answer`), h("div", {}, field, h("button", { class: "primary" }, "Keep ", cap("Enter")))));
    field.focus();
  },
};
