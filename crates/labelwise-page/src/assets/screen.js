// The parts of the labelling screen, and the guide beside it. Methods of the labelling screen.

import { button, cap, fill, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { get } from "./server.js";

export const building = {
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
  },

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
  },
};
