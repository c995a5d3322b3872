// Answers that the server has not acknowledged yet. They are in the browser's storage before the next item is shown, so they
// survive a reload, a closed tab and a server that is gone.

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
    this.place = `labelwise answers ${evaluation} ${name}`;
    this.on = on;
    this.pause = FIRST_RETRY;
    this.timer = null;
    this.busy = false;
    this.memory = null;
    addEventListener("storage", (event) => {
      if (event.key === this.place) this.on.changed();
    });
  }

  /** The entries, oldest first. Another tab may have changed them. */
  all() {
    if (this.memory) return this.memory;
    try {
      return JSON.parse(localStorage.getItem(this.place) ?? "[]");
    } catch {
      return [];
    }
  }

  write(entries) {
    try {
      if (entries.length === 0) localStorage.removeItem(this.place);
      else localStorage.setItem(this.place, JSON.stringify(entries));
      this.memory = null;
    } catch {
      // Without storage, answers live as long as the tab.
      this.memory = entries;
    }
    this.on.changed();
  }

  get size() {
    return this.all().length;
  }

  has(item) {
    return this.all().some((entry) => entry.item === item);
  }

  /** Keeps an answer and sends it as soon as possible. */
  add(entry) {
    this.write([...this.all(), { ...entry, key: newKey() }]);
    this.flush();
  }

  drop(key) {
    this.write(this.all().filter((entry) => entry.key !== key));
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
