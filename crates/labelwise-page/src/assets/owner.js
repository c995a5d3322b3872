// The owner's screen: the estimate, what looking does, a forecast, who labels.

import { counted, duration, fill, h, sentence, thousands } from "./dom.js";
import { Events, Gone, Refused, Restarted, get, post } from "./server.js";

/** Shortest time between two updates: an estimate is work. */
const PAUSE = 3000;

export class OwnerScreen {
  constructor(root, state, showLabelling) {
    Object.assign(this, { root, state, showLabelling });
    this.live = h("p", { class: "live" });
    // What people type or open here stays while numbers change.
    this.inviting = this.invite();
    this.picture = this.figure();
    this.differing = h("details", {});
    this.content = h("div", { class: "content" }, h("p", { class: "quiet" }, "Estimating."));
    fill(
      root,
      h(
        "div",
        { class: "screen" },
        h(
          "header",
          { class: "bar owners" },
          h("p", { class: "title" }, state.title, h("span", { class: "quiet" }, " The owner’s screen")),
          this.live,
          h("nav", { "aria-label": "Page" }, h("button", { type: "button", class: "second", onclick: () => showLabelling() }, "Hide the estimate")),
        ),
        h("main", { class: "owner" }, this.content, (this.said = h("p", { class: "sr", role: "status", "aria-live": "polite" }))),
      ),
    );
    this.begin();
  }

  async begin() {
    try {
      await post("/api/owner/look", {});
      await this.update();
      this.content.querySelector("h1")?.focus();
    } catch (error) {
      this.failed(error);
    }
    this.events = new Events(
      (progress) => this.schedule(progress),
      () => setTimeout(() => !this.closed && this.events.open(), 2000),
    );
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.events?.end();
  }

  schedule(progress) {
    fill(this.live, h("span", { class: "tick", "aria-hidden": "true" }, "✓ "), `Live: ${counted(progress.labels, "label")} saved`);
    if (this.timer || this.closed || progress.labels === this.shownLabels) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.update().catch((error) => this.failed(error));
    }, PAUSE);
  }

  failed(error) {
    if (error instanceof Gone) fill(this.live, "labelwise has stopped answering.");
    else if (error instanceof Restarted) fill(this.live, "labelwise was started again: open the address that it printed.");
    else if (error instanceof Refused) fill(this.content, h("p", {}, sentence(error.message)));
    else throw error;
  }

  /** A value as its metric is written. */
  value(number, width) {
    const { percent } = this.now.estimate;
    const scale = percent ? 100 : 1;
    const digits = width > 0 ? Math.max(0, Math.min(6, 1 - Math.floor(Math.log10((scale * width) / 2)))) : 3;
    return `${(scale * number).toFixed(digits)}${percent ? " %" : ""}`;
  }

  half(width) {
    const { percent } = this.now.estimate;
    const scaled = (percent ? 100 : 1) * width;
    return `±${Number(scaled.toPrecision(2))}${percent ? " points" : ""}`;
  }

  async update() {
    const had = document.activeElement?.id;
    this.now = await get("/api/owner");
    if (this.closed) return;
    this.shownLabels = this.now.progress.labels;
    fill(this.content, this.headline(), this.warning(), this.facts(), this.chart(), this.worth(), this.people(), this.disagreements(), this.next());
    if (had) document.getElementById(had)?.focus({ preventScroll: true });
    fill(this.said, `Estimate from ${counted(this.now.estimate.labels, "label")}.`);
  }

  headline() {
    const { metric, pool_size: size, value, interval, anytime, why } = this.now.estimate;
    const name = metric.replaceAll("_", " ");
    if (value === null) return h("h1", { class: "headline", tabindex: "-1", id: "headline" }, `There is no estimate of ${name} yet.`, h("span", { class: "why" }, why ? sentence(why) : "Labels are still to come."));
    const width = interval ? interval[1] - interval[0] : 0;
    const kind = anytime ? "peeking-safe " : "";
    return h(
      "h1",
      { class: "headline", tabindex: "-1", id: "headline" },
      `The ${name} on this pool of ${thousands(size)} items is estimated at `,
      h("strong", {}, this.value(value, width)),
      interval ? [`, with a ${kind}95 % interval from `, h("strong", {}, this.value(interval[0], width)), " to ", h("strong", {}, this.value(interval[1], width)), "."] : "; there are too few labels for an interval yet.",
    );
  }

  warning() {
    const { interval, once, anytime } = this.now.estimate;
    const half = (ends) => this.half((ends[1] - ends[0]) / 2);
    const price = interval && once ? ` The price is its width: an interval read once, at a number of labels fixed in advance, would be ${half(once)} instead of ${half(interval)}.` : "";
    const safe = anytime ? `With the peeking-safe interval you may: it holds after every label, however often you look and whenever you stop.${price}` : "This metric has no interval that holds at every look: stop at a number of labels fixed in advance, not when the interval looks good.";
    return h(
      "div",
      { class: "warning" },
      h("p", {}, h("strong", {}, "You are looking before the labelling is done. "), safe),
      h("p", {}, `Nobody who labels should see this screen, and the guide should not change because of it. This is look ${thousands(this.now.looks)}; looks are recorded.`),
    );
  }

  fact(title, value, remark) {
    return h("div", {}, h("dt", {}, title), h("dd", {}, value, h("small", {}, remark)));
  }

  facts() {
    const { labels, pool_size: size, held_up: held, plan } = this.now.estimate;
    const { agreement } = this.now;
    const waits = held ? `${counted(held[1], "label")} more wait behind ${held[0] === 1 ? "item" : "items"} ${held[2].join(", ")}` : "no label waits behind an open item";
    const needed = plan ? this.fact(`To ${this.half(plan.half_width)}`, plan.labels[0] > labels ? `about ${thousands(plan.labels[0] - labels)} more` : "reached", `${thousands(plan.labels[0])} in all, likely ${thousands(plan.labels[1])} to ${thousands(plan.labels[2])}, for an interval read once${plan.uniform ? `; uniform sampling would need about ${thousands(plan.uniform)}` : ""}`) : this.fact("A forecast", "not yet", "it needs a few labels more");
    const share = agreement.both > 0 ? `${Math.round((100 * agreement.agree) / agreement.both)} %${agreement.kappa === null ? "" : `, kappa ${agreement.kappa.toFixed(2)}`}; ${agreement.averaged ? "the estimate is of the mean over annotators" : "second opinions do not enter the estimate"}` : "--overlap 2 asks for second opinions";
    return h("dl", { class: "facts" }, this.fact("Labels that count", `${thousands(labels)} of ${thousands(size)}`, waits), needed, this.fact("Two people agree on", agreement.both > 0 ? `${thousands(agreement.agree)} of ${thousands(agreement.both)}` : "not asked", share));
  }

  figure() {
    const caption = "The line is the estimate after each label, the band its 95 % interval. Dashed: where the band would be if labels go on like those so far. Early on, the band can reach out of the picture.";
    const shapes = ["narrow", "wide"].flatMap((shape) => ["&dark", ""].map((dark) => ({ shape, dark })));
    // The browser takes the first that fits, also when the light changes.
    this.charts = shapes.map(({ shape, dark }) => {
      const media = [shape === "narrow" ? "(max-width: 40rem)" : "(min-width: 0)", dark ? "(prefers-color-scheme: dark)" : null];
      return { address: `/api/owner/chart.svg?${shape}${dark}`, source: h("source", { media: media.filter(Boolean).join(" and ") }) };
    });
    this.wide = h("img", { class: "chart" });
    return h("section", {}, h("h2", {}, "How the estimate settles"), h("figure", {}, h("picture", {}, this.charts.map((chart) => chart.source), this.wide), h("figcaption", {}, caption)), h("p", {}, h("a", { id: "report", href: "/api/owner/report.html", target: "_blank", rel: "noopener" }, "The whole report as of now, in a new tab")));
  }

  chart() {
    if (this.now.estimate.value === null) return null;
    const at = `${this.now.estimate.labels}-${this.now.progress.goal}`;
    const { value, interval } = this.now.estimate;
    const words = interval ? `The estimate after each label with its interval; now ${this.value(value, interval[1] - interval[0])}, from ${this.value(interval[0], interval[1] - interval[0])} to ${this.value(interval[1], interval[1] - interval[0])}.` : "The estimate after each label.";
    // The old picture stays until the new one is here.
    for (const { source, address } of this.charts) source.srcset = `${address}&at=${at}`;
    this.wide.src = `/api/owner/chart.svg?wide&at=${at}`;
    this.wide.alt = words;
    return this.picture;
  }

  /** What the judge and the choice of items save. */
  worth() {
    const { worth } = this.now.estimate;
    return worth ? h("section", {}, h("h2", {}, "What a label is worth"), h("p", { class: "worth" }, sentence(worth))) : null;
  }

  people() {
    const { people, skips, progress } = this.now;
    const skipped = skips.reduce((sum, [, number]) => sum + number, 0);
    const reasons = skips.map(([reason, number]) => `${number} “${reason || "no reason"}”`).join(", ");
    const loan = (one) => {
      const items = one.lent === 0 ? "nothing" : counted(one.lent, "item");
      if (one.away === null) return `${items}, not seen since the page was opened`;
      const away = one.away < 60 ? `seen ${one.away} s ago` : `away for ${duration(one.away)}`;
      return one.away < 60 || one.lent === 0 ? `${items}, ${away}` : h("span", { class: "kept" }, `${items}, ${away}; back in ${duration(one.back_in ?? 0)}`);
    };
    const row = (one) => h("tr", {}, h("th", { scope: "row" }, one.name || "(no name)"), h("td", {}, thousands(one.answers)), h("td", {}, one.seconds === null ? "–" : duration(one.seconds)), h("td", {}, thousands(one.opinions)), h("td", { class: "words" }, loan(one)));
    const head = ["Name", "Answers", "Per answer", "Second opinions"].map((words) => h("th", { scope: "col" }, words));
    return h(
      "section",
      {},
      h("h2", {}, "Who is labelling"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Who is labelling" }, h("table", {}, h("thead", {}, h("tr", {}, head, h("th", { scope: "col", class: "words" }, "On loan"))), h("tbody", {}, people.map(row)))),
      h("p", { class: "quiet" }, `${thousands(progress.answered)} of ${thousands(progress.goal)} items have an answer${progress.left ? `; ${duration(progress.left)} left` : ""}. Items on loan are given to nobody else; without an answer they come back. `, skipped > 0 ? `${counted(skipped, "item")} skipped: ${reasons}.` : ""),
      this.inviting,
    );
  }

  invite() {
    const field = h("input", { id: "invite", maxlength: "60", autocomplete: "off" });
    const shown = h("p", { class: "address", role: "status" });
    const send = async (event) => {
      event.preventDefault();
      try {
        const { address } = await post("/api/owner/invite", { name: field.value });
        fill(shown, "For one browser, once: ", h("code", {}, address));
      } catch (error) {
        fill(shown, sentence(error.message));
      }
    };
    return h("form", { class: "invite", onsubmit: send }, h("label", { for: "invite" }, "Invite somebody by name"), h("div", {}, field, h("button", { class: "second" }, "Make an address")), shown);
  }

  disagreements() {
    const { pairs, differing } = this.now.agreement;
    if (pairs.length === 0) return null;
    const pair = (one) => h("tr", {}, h("th", { scope: "row" }, one.who.join(", ")), h("td", {}, `${one.agree} of ${one.both}`), h("td", {}, `${Math.round((100 * one.agree) / one.both)} %`));
    const item = (one) => h("tr", {}, h("th", { scope: "row" }, one.item), h("td", { class: "words" }, `${one.label[0]} (${one.label[1]})`), h("td", { class: "words" }, `${one.opinion[0]} (${one.opinion[1]})`));
    return h(
      "section",
      {},
      h("h2", {}, "Where people disagree"),
      h("table", {}, h("thead", {}, h("tr", {}, ["Pair", "Agree", "Share"].map((words) => h("th", { scope: "col" }, words)))), h("tbody", {}, pairs.map(pair))),
      differing.length > 0 ? fill(this.differing, h("summary", {}, `The ${counted(differing.length, "item")}`), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Items on which people disagree" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Item"), h("th", { scope: "col", class: "words" }, "Label of record"), h("th", { scope: "col", class: "words" }, "Second opinion"))), h("tbody", {}, differing.map(item))))) : null,
    );
  }

  next() {
    const { plan, labels } = this.now.estimate;
    const { goal } = this.now.progress;
    const set = (wanted) => async () => {
      try {
        await post("/api/owner/goal", { goal: wanted });
        await this.update();
      } catch (error) {
        this.failed(error);
      }
    };
    const wanted = plan && plan.labels[0] > goal ? h("button", { type: "button", id: "go-on", class: "primary", onclick: set(plan.labels[0]) }, `Go on to ${thousands(plan.labels[0])} labels`) : null;
    const words = labels === 0 ? "Label some items first." : this.now.estimate.anytime ? "Stopping now is allowed: the interval above is the one to report." : "Go on to the number of labels that you fixed in advance.";
    return h("section", {}, h("h2", {}, "What next"), h("p", {}, words), h("p", { class: "buttons" }, wanted, h("button", { type: "button", id: "more", class: "second", onclick: set(goal + 50) }, "Ask for 50 more"), h("button", { type: "button", class: "second", onclick: () => this.showLabelling() }, "Back to labelling")), h("p", { class: "quiet" }, "To stop: press Ctrl-C where labelwise runs; it names the next command."));
  }
}
