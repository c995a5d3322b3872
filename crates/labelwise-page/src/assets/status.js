// What happened: the status line, the bar when the server is gone, progress, what is said aloud. Methods of the labelling screen.

import { counted, duration, fill, h, sentence, thousands } from "./dom.js";
import { Restarted, get } from "./server.js";

export const telling = {
  saved(entry, answer) {
    clearTimeout(this.saving);
    this.showProgress(answer.progress);
    const what = entry.skip ? `skipped: ${entry.skip}` : this.words(entry.label);
    this.last = { kind: "saved", number: answer.number, what };
    this.showStatus();
    const position = this.items[0] ? ` Item ${this.items[0].number} of ${thousands(answer.progress.goal)}.` : "";
    const isLast = this.queue.size === 0;
    if (isLast) this.say(entry.skip ? `Item ${answer.number} ${what}.${position}` : `${what} saved.${position}`);
    if (this.items.length === 0 && isLast && this.stage.querySelector(".done")) this.again();
  },

  refused(entry, message) {
    this.last = { kind: "refused", number: entry.number, what: sentence(message) };
    this.history = this.history.filter((past) => past.item !== entry.item || entry.amend);
    this.showStatus();
    this.say(`Not saved: ${sentence(message)}`);
  },

  connected(now, message) {
    const before = this.connection;
    this.connection = now;
    if (now === before && now !== "trouble") {
      if (now === "gone") this.showAlert();
      return;
    }
    this.trouble = message;
    this.showAlert();
    if (now === "there" && before !== "there") {
      this.events.open();
      this.say("labelwise answers again.");
      this.fetchItems().then(() => this.stage.querySelector(".done") && this.item !== undefined && this.show());
    }
    this.showStatus();
  },

  /** The stream of events ended: the server is gone, started again, or just busy. */
  async probe() {
    if (this.closed) return;
    try {
      await get("/api/progress");
      setTimeout(() => !this.closed && this.events.open(), 1000);
      this.connected("there");
    } catch (error) {
      if (error instanceof Restarted) this.connected("restarted");
      else {
        this.connected("gone");
        clearTimeout(this.probing);
        this.probing = setTimeout(() => this.probe(), 2000);
      }
    }
  },

  showAlert() {
    const kept = this.queue.size;
    const keptWords = kept === 0 ? "" : kept === 1 ? "Your last answer is kept in this browser, also if you reload." : `Your last ${kept} answers are kept in this browser, also if you reload.`;
    const ready = Math.max(0, this.items.length);
    const command = this.state.command ? h("p", { class: "quiet" }, "To start it again: ", h("code", {}, this.state.command)) : null;
    if (this.connection === "gone") {
      const can = ready > 0 ? ` You can label ${ready === 1 ? "this item" : `this item and ${ready - 1} more`}.` : "";
      fill(
        this.alert,
        h("div", {}, h("p", {}, h("strong", {}, "labelwise has stopped answering. Nothing is lost."), ` ${keptWords}${can}`), command),
        h("button", { type: "button", class: "second", onclick: () => this.queue.retryNow().then(() => this.probe()) }, "Try now"),
      );
    } else if (this.connection === "restarted") {
      const then = kept === 0 ? "" : ` Your ${counted(kept, "kept answer")} will be saved then.`;
      const field = h("input", { id: "new-address", autocomplete: "off", spellcheck: "false", placeholder: "The new address", "aria-label": "New address" });
      fill(
        this.alert,
        h("div", {}, h("p", {}, h("strong", {}, "labelwise was started again."), ` Open the address that it printed, here in this browser.${then}`)),
        h(
          "form",
          {
            onsubmit: (event) => {
              event.preventDefault();
              location.hash = field.value.trim().split("#").pop();
            },
          },
          field,
          h("button", { class: "second" }, "Open"),
        ),
      );
    } else if (this.connection === "trouble") {
      fill(this.alert, h("div", {}, h("p", {}, h("strong", {}, "labelwise could not do that."), ` ${sentence(this.trouble ?? "")} ${keptWords}`)), h("button", { type: "button", class: "second", onclick: () => this.queue.retryNow().then(() => this.again()) }, "Try again"));
    } else fill(this.alert);
    this.alert.classList.toggle("shown", this.connection !== "there");
  },

  showProgress(progress) {
    if (this.closed || !progress) return;
    this.now = progress;
    const { answered, goal, seconds, left } = progress;
    const kept = this.queue.size;
    this.progress.max = Math.max(1, goal);
    this.progress.value = answered;
    const parts = [h("span", {}, h("strong", {}, thousands(Math.min(answered + kept + (this.items.length > 0 ? 1 : 0), Math.max(goal, answered)))), ` of ${thousands(goal)}`)];
    if (kept > 0 && this.connection !== "there") parts.push(h("span", {}, `${thousands(answered)} saved, ${kept} kept`));
    else {
      if (seconds !== undefined) parts.push(h("span", {}, `${duration(seconds)} a label`));
      if (left !== undefined && goal > answered) parts.push(h("span", {}, `${duration(left)} left`));
    }
    fill(this.counts, parts);
  },

  showStatus() {
    if (this.closed || !this.status) return;
    const entries = this.queue.all();
    this.undoButton.disabled = this.history.length === 0 || this.place + 1 >= this.history.length;
    const short = (entry) => `${entry.number} ${entry.skip ? "skipped" : this.words(entry.label)}`;
    let shown = null;
    if (this.last?.kind === "refused") shown = h("span", { class: "refused" }, h("span", { "aria-hidden": "true" }, "! "), h("strong", {}, "Not saved:"), ` ${this.last.what}`);
    else if (entries.length > 0 && this.connection !== "there") {
      const list = entries.length > 3 ? counted(entries.length, "answer") : entries.map(short).join(", ");
      shown = h("span", { class: "kept" }, h("span", { "aria-hidden": "true" }, "◷ "), h("strong", {}, "Kept, not yet saved:"), ` ${list}`);
    } else if (entries.length > 0) shown = this.saving && h("span", { class: "quiet" }, `Saving item ${entries[entries.length - 1].number}`);
    else if (this.last) shown = h("span", {}, h("span", { class: "tick", "aria-hidden": "true" }, "✓ "), h("strong", {}, "Saved"), h("span", { class: "quiet" }, ` item ${this.last.number} as ${this.last.what}`));
    const note = this.item && this.notes.has(this.item.item) ? h("span", { class: "quiet" }, "Note kept. ") : null;
    fill(this.status, note, shown);
    if (this.connection !== "there") this.showAlertCounts();
    if (this.now) this.showProgress(this.now);
  },

  /** The numbers in the bar change with every answer; the alert itself is said once. */
  showAlertCounts() {
    if (this.alertKept === this.queue.size) return;
    this.alertKept = this.queue.size;
    this.showAlert();
  },

  say(text) {
    if (this.live) fill(this.live, text);
  },
};
