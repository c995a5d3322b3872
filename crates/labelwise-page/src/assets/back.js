// Looking back at earlier items, and undoing. Methods of the labelling screen.

import { sentence } from "./dom.js";
import { Refused, get } from "./server.js";

export const lookingBack = {
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
  },

  undo() {
    this.look(1, true);
  },

  /** Back to the present item. */
  present() {
    this.place = -1;
    this.undone = false;
    this.show();
  },
};
