"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const PAGE = 25;

  /** An element with properties and children; text always becomes a text node, never markup. */
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  // A title in as many lines as the screen needs.
  function wrapped(text, room) {
    const lines = [""];
    for (const word of text.split(" ")) {
      if ((lines.at(-1) + " " + word).length > room && lines.at(-1)) lines.push(word);
      else lines[lines.length - 1] = (lines.at(-1) + " " + word).trim();
    }
    return lines;
  }

  // Figures: as many panels side by side as the screen has room for.
  async function draw(figure) {
    const place = document.getElementById(figure.id);
    const spec = structuredClone(figure.spec);
    if (figure.cell) spec.columns = Math.max(1, Math.floor((place.clientWidth - 110) / (figure.cell + 30)));
    if (figure.cell && spec.spec) spec.spec.width = Math.min(figure.cell, Math.max(100, place.clientWidth - 180));
    if (spec.title) spec.title.text = wrapped([spec.title.text].flat().join(" "), Math.floor(place.clientWidth / 7.5));
    if (place.dataset.columns === String(spec.columns)) return;
    place.dataset.columns = String(spec.columns);
    await vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true, mode: "vega-lite" });
    place.dataset.ready = "yes";
  }
  function drawAll() {
    return Promise.all(data.figures.map(draw)).then(() => document.body.setAttribute("data-drawn", "yes"));
  }
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 200);
  });

  // Tables: a click on a column head sorts; what has no number goes last in both directions.
  function sortable(table) {
    const heads = [...table.querySelectorAll("thead tr.heads th")];
    heads.forEach((head, column) => {
      if (!head.textContent) return;
      const button = make("button", { type: "button", text: head.textContent });
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") !== "descending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        const body = table.tBodies[0];
        body.append(...[...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column], falling ? -1 : 1)));
      });
    });
  }
  function compare(a, b, sign) {
    const x = a.dataset.order, y = b.dataset.order;
    if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
    if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
    return -sign * a.textContent.localeCompare(b.textContent, undefined, { numeric: true });
  }

  // Items
  const shown = (value) => (value === null || value === undefined ? "–" : Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1));

  class Browser {
    constructor(root, content) {
      Object.assign(this, { root, content, page: 0, found: [] });
      this.texts = content.items.map((item) => this.searchable(item));
      this.build();
      this.update();
    }

    property(number) {
      const [name, value] = this.content.properties[number];
      return `${name}:${value}`;
    }

    searchable(item) {
      const said = [...item[5], ...item[6]].filter(Boolean);
      const words = said.flatMap(([text, properties]) => [text || "", ...(properties || []).map((p) => this.property(p))]);
      return [item[0], ...item[4].map((label) => label || ""), ...words].join("\n").toLowerCase();
    }

    build() {
      const { content } = this;
      const again = () => { this.page = 0; this.update(); };
      const choose = (label, options, pick) => {
        const select = make("select", { onchange: again }, ...options.map(([value, text]) => make("option", { value, text })));
        this[pick] = select;
        return make("label", { text: label }, select);
      };
      const measures = content.measures.map(([name], i) => [i, name]);
      const systems = [[-1, "all systems (mean)"], ...content.systems.map((name, i) => [i, name])];
      const levels = (place, name) => [["", `any ${name}`], ...[...new Set(content.items.map((item) => item[4][place]).filter(Boolean))].sort().map((v) => [v, v])];
      this.search = make("input", { type: "search", oninput: again, placeholder: "words, properties, ids", "aria-label": "Search items" });
      this.previous = make("button", { type: "button", text: "‹ previous", onclick: () => this.turn(-1) });
      this.next = make("button", { type: "button", text: "next ›", onclick: () => this.turn(1) });
      this.count = make("span", { class: "count", "aria-live": "polite" });
      this.list = make("div", { class: "list" });
      this.root.append(
        make("div", { class: "controls" },
          make("label", { text: "Search", class: "wide" }, this.search),
          choose("Measure", measures, "measure"),
          choose("System", systems, "system"),
          choose("Order", [["worst", "worst first"], ["best", "best first"], ["run", "by id"]], "order"),
          choose("Domain", levels(0, "domain"), "domain"),
          choose("Condition", levels(1, "condition"), "condition"),
          this.previous, this.next, this.count),
        this.list);
      this.measure.value = Math.max(0, content.measures.findIndex(([name]) => name === content.lead));
    }

    /** The value an item is ranked by: one system's, or the mean of those that have one (people do not count). */
    value(item) {
      const measure = Number(this.measure.value), system = Number(this.system.value);
      if (!item[7].length) return null;
      if (system >= 0) return item[7][system][measure];
      const known = item[7].filter((_, i) => this.content.systems[i] !== "human").map((row) => row[measure]).filter((v) => v !== null && v !== undefined);
      return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
    }

    update() {
      const { items, measures } = this.content;
      const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (i) => words.every((word) => this.texts[i].includes(word))
        && (!this.domain.value || items[i][4][0] === this.domain.value)
        && (!this.condition.value || items[i][4][1] === this.condition.value);
      const kept = items.map((item, i) => ({ item, i, value: this.value(item) })).filter(({ i }) => fits(i));
      if (this.order.value === "run") kept.sort((a, b) => a.item[0].localeCompare(b.item[0], undefined, { numeric: true }));
      else {
        const lower = measures.length && measures[Number(this.measure.value)][1] === "lower";
        const sign = (this.order.value === "worst") === Boolean(lower) ? -1 : 1;
        const none = (v) => v === null || v === undefined;
        kept.sort((a, b) => none(a.value) - none(b.value) || (none(a.value) ? 0 : sign * (a.value - b.value)) || a.i - b.i);
      }
      this.found = kept;
      this.show();
    }

    turn(step) {
      const last = Math.max(0, Math.ceil(this.found.length / PAGE) - 1);
      this.page = Math.min(last, Math.max(0, this.page + step));
      this.show();
      this.list.querySelector("summary")?.focus();
    }

    show() {
      const start = this.page * PAGE, part = this.found.slice(start, start + PAGE);
      this.list.replaceChildren(...part.map((entry) => this.item(entry)));
      this.previous.disabled = this.page === 0;
      this.next.disabled = start + PAGE >= this.found.length;
      const { items, total } = this.content;
      const of = items.length < total ? ` of the ${items.length.toLocaleString("en")} in this page (${total.toLocaleString("en")} in the run)` : "";
      this.count.textContent = this.found.length
        ? `${start + 1}–${start + part.length} of ${this.found.length.toLocaleString("en")}${this.found.length < items.length ? " found" : ""}${of}` : `no item fits${of}`;
    }

    item({ item, value }) {
      const said = item[5].find(Boolean);
      const words = said ? this.words(said) : make("span", { class: "nothing", text: "no human description" });
      const labels = item[4].slice(0, 2).filter(Boolean).join(", ");
      const summary = make("summary", {},
        make("span", { class: "id", text: item[0] }), make("span", { class: "mean", text: shown(value) }),
        make("span", { class: "said" }, words, labels ? make("span", { class: "properties", text: `  ${labels}` }) : null));
      const details = make("details", { class: "item" }, summary);
      details.addEventListener("toggle", () => {
        if (details.open && details.childElementCount === 1) details.append(this.body(item));
      });
      return details;
    }

    words([text, properties]) {
      if (text !== null) return make("span", text ? { text: `“${text}”` } : { class: "nothing", text: "(no words)" });
      return make("span", { text: (properties || []).map((p) => this.property(p)).join(", ") || "(nothing)" });
    }

    description(said) {
      if (!said) return make("span", { class: "nothing", text: "no answer" });
      const [text, properties] = said;
      const span = make("span", {}, this.words(said));
      if (text !== null && properties !== null) span.append(make("span", { class: "properties", text: `  ${properties.map((p) => this.property(p)).join(", ") || "(no properties)"}` }));
      return span;
    }

    body(item) {
      const people = item[5].filter(Boolean).map((said) => make("li", {}, this.description(said)));
      const speaker = item[4][2] ? ` (speaker ${item[4][2]})` : "";
      return make("div", {},
        make("h3", { text: "Scene" }), this.scene(item),
        make("h3", { text: `People${speaker}` }), people.length ? make("ul", { class: "people" }, ...people) : make("p", { class: "nothing", text: "nobody described this one" }),
        make("h3", { text: "Systems" }), this.scores(item));
    }

    scene(item) {
      const entities = this.content.scenes[item[1]], targets = new Set(item[2]);
      const grid = entities.map(([, numbers]) => this.place(numbers));
      const placed = grid.every(Boolean) && new Set(grid.map(String)).size === grid.length && Math.max(...grid.flat()) <= 12;
      const cards = entities.map((entity, i) => this.entity(entity, targets.has(i), placed ? grid[i] : null));
      const scene = make("div", { class: placed ? "scene" : "scene flow" }, ...cards);
      return item[3] ? make("div", {}, scene, make("p", { class: "note", text: `and ${item[3]} more entities` })) : scene;
    }

    place(numbers) {
      const at = Object.fromEntries(numbers.map((n) => this.content.properties[n]));
      const x = Number(at["x-dimension"]), y = Number(at["y-dimension"]);
      return Number.isInteger(x) && Number.isInteger(y) && x > 0 && y > 0 ? [x, y] : null;
    }

    entity([id, numbers, relations], target, at) {
      const lines = numbers.filter((n) => !at || !this.content.properties[n][0].endsWith("-dimension"));
      const card = make("div", { class: target ? "entity target" : "entity" },
        make("b", {}, id, target ? make("span", { class: "flag", text: "  target" }) : null),
        ...lines.map((n) => make("div", { text: this.property(n).replace(":", ": ") })),
        ...relations.map(([name, other]) => make("div", { text: `${name} → ${other}` })));
      if (at) { card.style.gridColumn = String(at[0]); card.style.gridRow = String(at[1]); }
      return card;
    }

    scores(item) {
      const { systems, measures } = this.content;
      const head = make("tr", { class: "heads" }, make("th", { text: "system" }), make("th", { text: "said" }),
        ...measures.map(([name]) => make("th", { class: "number", text: name.split("/").slice(1).join("/") || name })));
      const rows = systems.map((system, i) => make("tr", {}, make("th", { scope: "row", text: system }), make("td", {}, this.description(item[6][i])),
        ...measures.map((_, m) => {
          const value = item[7][i][m];
          return make("td", { class: "number", text: shown(value), "data-order": value });
        })));
      const table = make("table", { class: "sortable" }, make("thead", {}, head), make("tbody", {}, ...rows));
      sortable(table);
      return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of item ${item[0]}` }, table);
    }

    move(step) {
      const all = [...this.list.querySelectorAll("summary")];
      const at = all.indexOf(document.activeElement);
      all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
    }
  }

  const browsers = data.browsers.map(({ id, content }) => new Browser(document.getElementById(id), content));
  const nearest = () => browsers.find((b) => b.root.contains(document.activeElement)) || browsers[0];
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !browsers.length) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const keys = {
      "/": () => nearest().search.focus(),
      j: () => nearest().move(1),
      k: () => nearest().move(-1),
      n: () => nearest().turn(1),
      p: () => nearest().turn(-1),
      g: () => window.scrollTo(0, 0),
    };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  document.querySelectorAll("table.sortable").forEach(sortable);
  drawAll();
})();
