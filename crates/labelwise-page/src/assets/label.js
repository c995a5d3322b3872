// The labelling screen: one item, one key per answer.

import { REASONS, REASON_WORDS, SIDES, answering } from "./answers.js";
import { button, cap, counted, fill, h, sentence, thousands } from "./dom.js";
import { itemView } from "./item.js";
import { markdown } from "./markdown.js";
import { Queue } from "./queue.js";
import { Events, Gone, Refused, Restarted, get, post } from "./server.js";
import { telling } from "./status.js";

/** Items that are ready besides those whose answers are on their way. */
const READY = 3;

/** Earlier items that are kept, to look back at once. */
const REMEMBERED = 50;

const KEYS_OFF = "labelwise keys off";

export class Labelling {
  constructor(root, state, name, showEstimate) {
    Object.assign(this, { root, state, name, showEstimate });
    this.items = [];
    this.history = [];
    this.seen = new Map();
    this.views = new Map();
    this.notes = new Map();
    this.recent = [];
    this.place = -1; // In the history; -1 is the present item.
    this.mode = "answer";
    this.connection = "there";
    this.keysOn = this.stored(KEYS_OFF) === null;
    this.queue = new Queue(state.evaluation, name, {
      saved: (entry, answer) => this.saved(entry, answer),
      refused: (entry, message) => this.refused(entry, message),
      connection: (now, message) => this.connected(now, message),
      changed: () => this.showStatus(),
    });
    this.build();
    this.end = new AbortController();
    const listen = (name, heard) => document.addEventListener(name, heard, { signal: this.end.signal });
    listen("keydown", (event) => this.key(event));
    listen("focusin", () => this.showWhetherKeysRest());
    listen("focusout", () => this.showWhetherKeysRest());
    this.events = new Events(
      (progress) => this.showProgress(progress),
      () => this.probe(),
    );
    this.begin();
  }

  stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  close() {
    this.end.abort();
    this.events.end();
    this.closed = true;
  }

  // The parts of the screen

  build() {
    const { title, guide, owner, question, task } = this.state;
    this.isMany = task.kind === "classes" && task.classes.every((one) => one.number === undefined);
    this.isTyped = this.isMany || task.kind === "number";
    this.progress = h("progress", { max: "1", value: "0", "aria-label": "Items answered" });
    this.counts = h("p", { class: "counts" });
    this.guideButton = guide ? button("g", "Guide", () => this.toggleGuide(), { "aria-expanded": "false", "aria-controls": "guide" }) : null;
    this.keysButton = button("?", "Keys", () => this.toggleKeys(), { "aria-expanded": "false", "aria-controls": "keys" });
    const bar = h(
      "div",
      { class: "bar" },
      h("p", { class: "title" }, title),
      this.counts,
      h("nav", { "aria-label": "Page" }, this.guideButton, this.keysButton, owner ? h("button", { type: "button", class: "tool", onclick: () => this.showEstimate() }, "Estimate") : null, h("span", { class: "who" }, this.name)),
    );
    this.alert = h("div", { class: "alert", role: "alert" });
    this.keysPanel = h("section", { id: "keys", class: "keys", "aria-label": "Keys", hidden: true });
    this.stage = h("div", { class: "stage" });
    this.guidePanel = h("aside", { id: "guide", class: "guide", "aria-label": "Guide", hidden: true });
    this.question = h("h2", { id: "question" }, question);
    this.banner = h("div", { class: "banner" });
    this.answers = h("div", { class: "answers", role: "group", "aria-labelledby": "question" });
    this.status = h("p", { class: "status" });
    this.live = h("p", { class: "sr", role: "status", "aria-live": "polite" });
    this.laterButton = button("d", "Later", () => this.later());
    this.noteButton = button("n", "Note", () => this.setMode("note"));
    this.undoButton = button("u", "Undo", () => this.undo(), { disabled: true });
    this.tools = h(
      "div",
      { class: "tools" },
      h(
        "div",
        { class: "left" },
        button("s", "Skip", () => this.setMode("skip")),
        this.laterButton,
        this.noteButton,
        button({ shown: "←", shortcut: "ArrowLeft" }, "Look back", () => this.look(1)),
      ),
      h("div", { class: "right" }, this.status, this.undoButton),
    );
    this.panel = h("section", { class: "panel", "aria-label": "Answer" }, h("div", { class: "inner" }, this.banner, this.question, this.answers, this.tools));
    this.main = h("main", { class: this.isMany ? "labelling many" : "labelling" }, h("div", { class: "reading" }, this.keysPanel, this.stage), this.panel);
    fill(this.root, h("div", { class: "screen" }, h("header", {}, bar, this.progress, this.alert, this.live), h("div", { class: "body" }, this.main, this.guidePanel)));
    this.root.dataset.keys = this.keysOn ? "on" : "off";
    this.buildKeys();
  }

  buildKeys() {
    const line = (keys, words) => h("div", {}, h("dt", {}, keys.map((key) => (key === "–" ? key : cap(String(key))))), h("dd", {}, words));
    const toggle = h("input", {
      type: "checkbox",
      id: "keys-on",
      checked: this.keysOn,
      onchange: (event) => this.switchKeys(event.target.checked),
    });
    const { task } = this.state;
    const choose = () => {
      if (task.kind === "pair") return line(task.tie ? ["a", "t", "b"] : ["a", "b"], "label, save, go on");
      if (this.isTyped) return line(["Enter"], task.kind === "number" ? "save the number, go on" : "save the chosen class, go on");
      const numbers = task.classes.map((one) => one.number).filter((one) => one !== undefined);
      return line([Math.min(...numbers), "–", Math.max(...numbers)], "label, save, go on; also a class’s letter");
    };
    fill(
      this.keysPanel,
      h("h2", {}, "Keys"),
      h(
        "dl",
        {},
        choose(),
        line(["u"], "undo, again and again"),
        line(["←", "→"], "look back, without changing"),
        line(["s"], "skip, with a reason"),
        line(["d"], "later: comes again at the end"),
        line(["n"], "note"),
        this.state.guide ? line(["g"], "guide") : null,
        this.isTyped || task.open ? line(["/"], task.open && !this.isMany ? "another class" : "go to the field") : null,
        line(["Esc"], "close, back to the item"),
      ),
      h("p", {}, toggle, h("label", { for: "keys-on" }, "Single keys on")),
    );
  }

  switchKeys(on) {
    this.keysOn = on;
    this.root.dataset.keys = on ? "on" : "off";
    try {
      if (on) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "1");
    } catch {
      // It lasts as long as the tab.
    }
    this.say(on ? "Single keys are on." : "Single keys are off.");
  }

  // Items

  get item() {
    return this.place < 0 ? this.items[0] : this.shownBack;
  }

  async begin() {
    this.say("Loading the first item.");
    try {
      this.history = (await get("/api/history")).answers;
    } catch {
      // It fills as answers are given.
    }
    this.queue.flush();
    await this.fetchItems();
    if (!this.closed) this.show();
  }

  /** Makes sure that some items are ready. */
  async fetchItems() {
    if (this.fetching) {
      // What is on its way may not know of the last answer.
      this.fetchAgain = true;
      return;
    }
    this.fetching = true;
    this.fetchAgain = false;
    try {
      const kept = this.queue.all().map((entry) => entry.item);
      const have = [...new Set([...kept, ...this.items.map((item) => item.item)])];
      const next = await get(`/api/next?count=${new Set(kept).size + READY}&have=${encodeURIComponent(JSON.stringify(have))}`);
      this.connected("there");
      this.items = this.items.filter((item) => !next.gone.includes(item.item));
      const isNew = (item) => !this.queue.has(item.item) && !this.items.some((other) => other.item === item.item);
      this.items.push(...next.items.filter(isNew));
      this.prepare();
      this.none = next.none ?? null;
      this.showProgress(next.progress);
    } catch (error) {
      this.failed(error);
    } finally {
      this.fetching = false;
    }
    if (this.fetchAgain && this.connection === "there") await this.fetchItems();
  }

  failed(error) {
    if (error instanceof Restarted) this.connected("restarted");
    else if (error instanceof Gone) {
      this.connected("gone");
      this.queue.later();
    } else if (error instanceof Refused) this.connected("trouble", error.message);
    else throw error;
  }

  /** Shows the present item, or why there is none. */
  show({ focus = true } = {}) {
    if (this.closed) return;
    const item = this.item;
    this.mode = "answer";
    if (item === undefined) {
      this.showNothing();
      return;
    }
    this.main.classList.remove("empty");
    this.main.classList.toggle("pair", Boolean(item.sides));
    fill(this.stage, this.place < 0 ? this.viewOf(item) : itemView(item));
    this.prepare();
    this.stage.scrollTop = 0;
    scrollTo(0, 0);
    this.showAnswers();
    this.showStatus();
    if (focus) this.focusItem();
  }

  /** The nodes of an item that was not answered yet. They are made once, so that what is open stays open. */
  viewOf(item) {
    if (!this.views.has(item.item)) this.views.set(item.item, itemView(item));
    return this.views.get(item.item);
  }

  /** Makes the next items before they are shown: their images load meanwhile. */
  prepare() {
    const wanted = new Set(this.items.map((item) => item.item));
    for (const item of this.views.keys()) if (!wanted.has(item)) this.views.delete(item);
    this.items.forEach((item) => this.viewOf(item));
    this.main.dataset.ready = String(this.items.length);
  }

  focusItem() {
    const field = this.isTyped && this.place < 0 ? this.answers.querySelector("input") : null;
    const wanted = field ?? this.stage.querySelector("h1");
    wanted?.focus({ preventScroll: true });
    this.showWhetherKeysRest();
  }

  showNothing() {
    this.main.classList.add("empty");
    const { put_off: putOff = 0, own = 0, answered = 0 } = this.now ?? {};
    const kept = this.queue.size;
    const saved = kept === 0 ? "All your answers are saved." : `${counted(kept, "answer")} of yours are kept in this browser and not yet saved.`;
    const said = {
      goal: [`That was item ${thousands(answered)}.`, saved],
      exhausted: ["Every item of the pool has its answer.", saved],
      "with-others": ["Other people have the items that are left.", `${saved} Items that are not answered come back to you.`],
      drawing: ["The next items are being drawn.", "This can take a moment."],
    }[this.none] ?? ["No item is here yet.", kept > 0 ? saved : "They come as soon as labelwise answers."];
    const again = h("button", { type: "button", class: "primary", onclick: () => this.again() }, "Look for more");
    const more = this.state.owner && this.none === "goal" ? h("button", { type: "button", class: "second", onclick: () => this.more() }, "Ask for 50 more") : null;
    const counts = [`You gave ${counted(own, "answer")} since the page was opened.`, putOff > 0 ? ` ${counted(putOff, "item")} put off.` : ""].join("");
    fill(this.stage, h("article", { class: "item done" }, h("h1", { tabindex: "-1" }, said[0]), h("p", {}, said[1]), h("p", { class: "quiet" }, counts), h("p", { class: "buttons" }, again, more)));
    fill(this.answers);
    fill(this.banner);
    this.showStatus();
    this.stage.querySelector("h1").focus({ preventScroll: true });
    this.say(`${said[0]} ${said[1]}`);
    this.shownNone = `${this.none} ${kept}`;
    this.lookAgain();
  }

  /** Looks for items later, unless there will be none. */
  lookAgain() {
    clearTimeout(this.waiting);
    if (["goal", "exhausted"].includes(this.none)) return;
    this.waiting = setTimeout(() => this.again(), this.none === "with-others" ? 5000 : 700);
  }

  async again() {
    if (this.closed || this.item !== undefined) return;
    if (this.connection === "there") await this.fetchItems();
    if (this.item !== undefined) this.show();
    else if (this.shownNone !== `${this.none} ${this.queue.size}`) this.showNothing();
    else this.lookAgain();
  }

  async more() {
    try {
      await post("/api/owner/goal", { goal: (this.now?.goal ?? 0) + 50 });
      await this.again();
    } catch (error) {
      this.failed(error);
    }
  }

  setMode(mode) {
    if (this.item === undefined || (this.place >= 0 && mode === "note")) return;
    this.mode = mode;
    this.showAnswers();
    this.showStatus();
    if (mode === "answer") this.focusItem();
    else if (mode === "skip") {
      this.stage.querySelector("h1")?.focus({ preventScroll: true });
      this.say(`Why skip this item? ${REASON_WORDS.map((words, place) => `${place + 1} ${words}`).join(", ")}, Escape: do not skip.`);
    }
  }

  /** Keeps an answer, shows the next item at once, and sends the answer. */
  answer({ label, skip }) {
    const item = this.item;
    if (item === undefined || this.closed) return;
    const amend = this.place >= 0;
    if (amend && label !== undefined && this.history[this.place].given.label === label) {
      this.say(`It stays ${this.words(label)}.`);
      this.present();
      return;
    }
    const note = this.notes.get(item.item);
    this.notes.delete(item.item);
    const given = { label, skipped: skip !== undefined, note, at: new Date().toISOString() };
    if (amend) this.history[this.place].given = given;
    else {
      this.items.shift();
      this.history.unshift({ item: item.item, number: item.number, given });
      this.seen.set(item.item, item);
      if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value);
    }
    if (label !== undefined) this.learn(label);
    this.place = -1;
    this.undone = false;
    this.last = null;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.showStatus(), 150);
    this.queue.add({ item: item.item, number: item.number, label, skip, note, amend: amend || undefined });
    this.show();
    if (this.items.length < READY) this.fetchItems().then(() => this.stage.querySelector(".done") && this.item !== undefined && this.show());
  }

  /** A class of one's own is offered from now on. Recent classes keep their number; a new one takes the place of the one
   * that was not used for longest. */
  learn(label) {
    const { classes, open } = this.state.task;
    if (open && !classes.some((one) => one.name === label)) {
      const number = classes.length + 1;
      const isFree = !this.isMany && number <= 9 && !classes.some((one) => one.number === number);
      classes.push(isFree ? { name: label, number } : { name: label });
    }
    if (!this.isMany) return;
    this.used ??= new Map();
    this.used.set(label, (this.clock = (this.clock ?? 0) + 1));
    if (this.recent.includes(label)) return;
    if (this.recent.length < 6) this.recent.push(label);
    else {
      const oldest = this.recent.reduce((one, other) => (this.used.get(one) < this.used.get(other) ? one : other));
      this.recent[this.recent.indexOf(oldest)] = label;
    }
  }

  async later() {
    const item = this.item;
    if (item === undefined || this.place >= 0) return;
    this.items.shift();
    this.say(`Item ${item.number} comes again at the end.`);
    try {
      await post("/api/later", { item: item.item });
    } catch (error) {
      if (error instanceof Refused) this.say(sentence(error.message));
      else {
        this.items.push(item);
        this.failed(error);
      }
    }
    await this.fetchItems();
    this.show();
  }

  // Looking back

  /** Looks at an earlier item (1) or a later one (-1), without changing it. */
  async look(step, undone = false) {
    const wanted = this.place + step;
    if (wanted >= this.history.length || wanted < -1) return;
    if (wanted < 0) {
      this.present();
      return;
    }
    const { item } = this.history[wanted];
    let view = this.seen.get(item);
    if (view === undefined) {
      try {
        view = await get(`/api/item?item=${encodeURIComponent(item)}`);
      } catch (error) {
        if (error instanceof Refused) this.say(sentence(error.message));
        else this.failed(error);
        return;
      }
    }
    this.place = wanted;
    this.undone = undone;
    this.shownBack = view;
    this.last = null;
    this.show({ focus: false });
    this.stage.querySelector("h1")?.focus({ preventScroll: true });
    const { number, given } = this.history[wanted];
    const what = given.skipped ? "skipped" : this.words(given.label);
    this.say(undone ? `Undone. Item ${number} is open again, it was ${what}.` : `Looking back at item ${number}: ${what}.`);
  }

  undo() {
    this.look(1, true);
  }

  /** Back to the present item. */
  present() {
    this.place = -1;
    this.undone = false;
    this.show();
  }

  // Keys

  showWhetherKeysRest() {
    const rests = this.isTyping(document.activeElement) || !this.keysOn;
    this.root.classList.toggle("resting", rests);
  }

  isTyping(node) {
    return node instanceof HTMLElement && node.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || this.closed) return;
    if (event.key === "Escape") {
      this.escape();
      event.preventDefault();
      return;
    }
    if (!this.keysOn || this.isTyping(event.target)) return;
    // A key that is held down must not label one item after the other.
    const isArrow = event.key.startsWith("Arrow");
    if (event.repeat && !isArrow) return;
    // Arrows scroll code and move in a recording.
    if (isArrow && event.target instanceof Element && event.target.closest("pre, audio")) return;
    const act = this.action(event.key);
    if (act) {
      event.preventDefault();
      act();
    }
  }

  escape() {
    if (this.mode !== "answer") this.setMode("answer");
    else if (this.isTyping(document.activeElement)) this.stage.querySelector("h1")?.focus({ preventScroll: true });
    else if (!this.keysPanel.hidden) this.toggleKeys();
    else if (!this.guidePanel.hidden) this.toggleGuide();
    else if (this.place >= 0) this.present();
    else this.stage.querySelector("h1")?.focus({ preventScroll: true });
    this.showWhetherKeysRest();
  }

  /** What a key does now. */
  action(key) {
    const letter = key.length === 1 ? key.toLowerCase() : key;
    if (this.mode === "skip") {
      const reason = REASONS[Number(letter) - 1];
      return reason ? () => this.answer({ skip: reason }) : null;
    }
    const { task } = this.state;
    if (this.item !== undefined) {
      if (task.kind === "pair" && letter in SIDES && (letter !== "t" || task.tie)) return () => this.answer({ label: letter });
      if (task.kind === "classes") {
        const recent = this.isMany ? this.recent[Number(letter) - 1] : undefined;
        if (recent) return () => this.answer({ label: recent });
        const choice = task.classes.find((one) => String(one.number) === letter || one.letter === letter);
        if (choice && !this.isMany) return () => this.answer({ label: choice.name });
      }
    }
    return {
      u: () => this.undo(),
      s: () => this.setMode("skip"),
      d: () => this.later(),
      n: () => this.setMode("note"),
      g: this.state.guide ? () => this.toggleGuide() : null,
      "?": () => this.toggleKeys(),
      "/": () => this.answers.querySelector("input")?.focus(),
      ArrowLeft: () => this.look(1),
      ArrowRight: () => this.look(-1),
    }[letter];
  }

  // Guide and keys

  toggleKeys() {
    const isOpen = this.keysPanel.hidden;
    this.keysPanel.hidden = !isOpen;
    this.keysButton.setAttribute("aria-expanded", String(isOpen));
    this.say(isOpen ? "Keys are shown." : "Keys are hidden.");
  }

  async toggleGuide() {
    if (!this.guideButton) return;
    const isOpen = this.guidePanel.hidden;
    if (isOpen && !this.guideText) {
      try {
        this.guideText = (await get("/api/guide")).guide;
      } catch (error) {
        this.failed(error);
        return;
      }
    }
    const { name, text, at } = this.guideText;
    fill(this.guidePanel, h("div", { class: "head" }, h("h2", {}, "Guide"), h("button", { type: "button", class: "second", "aria-keyshortcuts": "g", onclick: () => this.toggleGuide() }, cap("g"), "Close")), markdown(text), h("p", { class: "origin" }, `${name}, as recorded with this evaluation on ${at.slice(0, 10)}. Labels by another guide would be other labels.`));
    this.guidePanel.hidden = !isOpen;
    this.guideButton.setAttribute("aria-expanded", String(isOpen));
    this.root.classList.toggle("with-guide", isOpen);
    this.say(isOpen ? "The guide is shown." : "The guide is hidden.");
  }
}

Object.assign(Labelling.prototype, answering, telling);
