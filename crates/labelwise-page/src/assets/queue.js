// Answers that the server has not acknowledged yet. They are in the browser's storage before the next item is shown, so they
// survive a reload, a closed tab and a server that is gone. Each has a place of its own there, because two tabs may write at
// the same time.

import { Gone, Refused, Restarted, post } from "./server.js";

/** Time before the first and before later retries, in milliseconds. */
const FIRST_RETRY = 300;
const LONGEST_RETRY = 5000;

/** A key that nobody has used before. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Queue {
  /** `on` has `saved(entry, answer)`, `refused(entry, message)`, `connection(state)`, `changed()`. */
  constructor(evaluation, name, on) {
    this.place = `labelwise answers ${evaluation} ${encodeURIComponent(name)} `;
    this.on = on;
    this.pause = FIRST_RETRY;
    this.timer = null;
    this.busy = false;
    this.memory = [];
    addEventListener("storage", (event) => {
      if (event.key?.startsWith(this.place)) this.on.changed();
    });
  }

  /** The entries, oldest first. Another tab may have changed them. */
  all() {
    const entries = [...this.memory, ...this.stored()];
    return entries.sort((one, other) => one.order - other.order);
  }

  stored() {
    try {
      const places = Object.keys(localStorage).filter((place) => place.startsWith(this.place));
      return places.map((place) => JSON.parse(localStorage.getItem(place))).filter((entry) => entry?.key);
    } catch {
      // There is no storage.
      return [];
    }
  }

  get size() {
    return this.all().length;
  }

  has(item) {
    return this.all().some((entry) => entry.item === item);
  }

  /** Keeps an answer and sends it as soon as possible. */
  add(entry) {
    // A clock that is set back does not change the order.
    const order = Math.max(Date.now(), 1 + (this.all().at(-1)?.order ?? 0));
    const kept = { ...entry, key: newKey(), order };
    try {
      localStorage.setItem(this.place + kept.key, JSON.stringify(kept));
    } catch {
      // Without storage, answers live as long as the tab.
      this.memory.push(kept);
    }
    this.on.changed();
    this.flush();
  }

  drop(key) {
    this.memory = this.memory.filter((entry) => entry.key !== key);
    try {
      localStorage.removeItem(this.place + key);
    } catch {
      // It was never there.
    }
    this.on.changed();
  }

  retryNow() {
    clearTimeout(this.timer);
    this.timer = null;
    this.pause = FIRST_RETRY;
    return this.flush();
  }

  later() {
    if (this.timer !== null) return;
    this.nextTry = Date.now() + this.pause;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush();
    }, this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_RETRY);
  }

  /** Sends what is kept, in order, one at a time. */
  async flush() {
    if (this.busy || this.timer !== null) return;
    this.busy = true;
    try {
      for (let entry = this.all()[0]; entry !== undefined; entry = this.all()[0]) {
        const { item, label, skip, key, note, amend } = entry;
        try {
          const answer = await post("/api/labels", { item, label, skip, key, note, amend });
          this.drop(entry.key);
          this.on.saved(entry, answer);
        } catch (error) {
          if (!(error instanceof Refused) || error.status >= 500) throw error;
          this.drop(entry.key);
          this.on.refused(entry, error.message);
        }
        this.pause = FIRST_RETRY;
        this.on.connection("there");
      }
    } catch (error) {
      if (error instanceof Restarted) this.on.connection("restarted");
      else if (error instanceof Gone) {
        this.on.connection("gone");
        this.later();
      } else if (error instanceof Refused) {
        this.on.connection("trouble", error.message);
        this.later();
      } else throw error;
    } finally {
      this.busy = false;
    }
  }
}
