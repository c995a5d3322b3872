// The labelling screen: one item, one key per answer.

import { REASON_WORDS, answering } from "./answers.js";
import { lookingBack } from "./back.js";
import { counted, fill, h, sentence, thousands } from "./dom.js";
import { itemView } from "./item.js";
import { KEYS_OFF, listening } from "./keys.js";
import { Queue } from "./queue.js";
import { building } from "./screen.js";
import { Events, Gone, Refused, Restarted, get, post } from "./server.js";
import { telling } from "./status.js";

/** Items that are ready besides those whose answers are on their way. */
const READY = 3;

/** Earlier items that are kept, to look back at once. */
const REMEMBERED = 50;

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
}

Object.assign(Labelling.prototype, building, answering, lookingBack, listening, telling);
