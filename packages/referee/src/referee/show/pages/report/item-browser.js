// The item browser: search, filters, order, pages; what is shown of an item is built when it is opened.

import { make, messageOf } from "../dom.js";
import { ItemView } from "./item-view.js";
import { ALL_SYSTEMS, PAGE } from "./sources.js";

const CARDS = 3;

export class ItemBrowser {
  search;
  measure;
  system;
  order;
  domain;
  condition;
  previous;
  next;
  count = make("span", { class: "count", "aria-live": "polite" });
  list = make("div", { class: "list" });
  page = 0;
  asked = 0;
  last = 0;

  constructor(root, source, gallery) {
    this.root = root;
    this.source = source;
    this.gallery = gallery;
    const again = () => {
      this.page = 0;
      void this.update();
    };
    const choose = (options) => {
      const select = make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
      select.addEventListener("change", again);
      return select;
    };
    const levels = (names, any) => [["", any], ...names.map((name) => [name, name])];
    this.search = make("input", { type: "search", placeholder: "words, properties, ids", "aria-label": "Search items" });
    this.search.addEventListener("input", again);
    this.measure = choose(source.measures.map(([name], i) => [i, name]));
    this.system = choose([[ALL_SYSTEMS, "all systems (mean)"], ...source.systems.map((name, i) => [i, name])]);
    this.order = choose([["worst", "worst first"], ["best", "best first"], ["run", "by id"]]);
    this.domain = choose(levels(source.domains, "any domain"));
    this.condition = choose(levels(source.conditions, "any condition"));
    this.previous = make("button", { type: "button" }, "‹ previous");
    this.next = make("button", { type: "button" }, "next ›");
    this.previous.addEventListener("click", () => this.turn(-1));
    this.next.addEventListener("click", () => this.turn(1));
    this.measure.value = String(Math.max(0, source.measures.findIndex(([name]) => name === source.lead)));
    const labelled = (text, control) => make("label", {}, text, control);
    root.append(
      make("div", { class: "controls" },
        make("label", { class: "wide" }, "Search", this.search),
        labelled("Measure", this.measure), labelled("System", this.system), labelled("Order", this.order),
        labelled("Domain", this.domain), labelled("Condition", this.condition), this.previous, this.next, this.count),
      this.list);
    void this.update();
  }

  // An answer that comes after a later question is not looked at.
  async update() {
    const turn = ++this.asked;
    const query = {
      words: this.search.value, measure: Number(this.measure.value), system: Number(this.system.value), order: this.order.value,
      domain: this.domain.value, condition: this.condition.value, page: this.page,
    };
    try {
      const found = await this.source.ask(query);
      if (turn === this.asked) this.show(found);
    } catch (error) {
      if (turn === this.asked) this.count.textContent = `the items cannot be had: ${messageOf(error)}`;
    }
  }

  // More of the run is there; what somebody has opened or is at stays as it is.
  async refresh() {
    if (!this.list.querySelector("details[open]") && !this.root.contains(document.activeElement)) await this.update();
  }

  turn(step) {
    this.page = Math.min(this.last, Math.max(0, this.page + step));
    void this.update().then(() => this.list.querySelector("summary")?.focus());
  }

  move(step) {
    const all = [...this.list.querySelectorAll("summary")];
    const at = all.findIndex((summary) => summary === document.activeElement);
    all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
  }

  show(answer) {
    const { entries, found, held, total, unsure } = answer, start = this.page * PAGE;
    const view = new ItemView(this.source, answer.book);
    this.list.replaceChildren(...entries.map((entry) => this.closed(view, entry)));
    this.last = Math.max(0, Math.ceil(found / PAGE) - 1);
    this.previous.disabled = this.page === 0;
    this.next.disabled = start + PAGE >= found;
    const of = held < total ? ` of the ${held.toLocaleString("en")} in this page (${total.toLocaleString("en")} in the run)` : "";
    const said = found ? `${start + 1}–${start + entries.length} of ${found.toLocaleString("en")}${found < held ? " found" : ""}${of}` : `no item fits${of}`;
    this.count.textContent = unsure ? `${said} (${unsure})` : said;
    if (this.gallery && !this.gallery.childElementCount) {
      const measure = this.source.measures[Number(this.measure.value)]?.[0] ?? "";
      this.gallery.replaceChildren(...entries.slice(0, CARDS).map((entry) => view.card(entry, entry.value === null ? "" : measure)));
    }
  }

  closed(view, entry) {
    const details = make("details", { class: "item" }, view.summary(entry));
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(view.body(entry.item));
    });
    return details;
  }
}
