// Keys: what each does now, the panel that lists them, and the switch that turns them off. Methods of the labelling screen.

import { REASONS, SIDES } from "./answers.js";
import { cap, fill, h } from "./dom.js";

export const KEYS_OFF = "labelwise keys off";

export const listening = {
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
  },

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
  },

  toggleKeys() {
    const isOpen = this.keysPanel.hidden;
    this.keysPanel.hidden = !isOpen;
    this.keysButton.setAttribute("aria-expanded", String(isOpen));
    this.say(isOpen ? "Keys are shown." : "Keys are hidden.");
  },

  showWhetherKeysRest() {
    const rests = this.isTyping(document.activeElement) || !this.keysOn;
    this.root.classList.toggle("resting", rests);
  },

  isTyping(node) {
    return node instanceof HTMLElement && node.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
  },

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
  },

  escape() {
    if (this.mode !== "answer") this.setMode("answer");
    else if (this.isTyping(document.activeElement)) this.stage.querySelector("h1")?.focus({ preventScroll: true });
    else if (!this.keysPanel.hidden) this.toggleKeys();
    else if (!this.guidePanel.hidden) this.toggleGuide();
    else if (this.place >= 0) this.present();
    else this.stage.querySelector("h1")?.focus({ preventScroll: true });
    this.showWhetherKeysRest();
  },

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
  },
};
