// One item: its scene as a picture with where hearers went, what people and systems said, and every score.

import { make } from "../dom.js";
import { legend, percent, sceneElement } from "../scene-picture.js";
import { OWN_WORDS, lookOf, property, saidIn, scoreOf, wentOf } from "./content.js";
import { sortable } from "./tables.js";

export const shown = (value) => (value == null ? "–" : Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1));

export class ItemView {
  constructor(source, book) {
    this.source = source;
    this.book = book;
  }

  summary({ item, value }) {
    const said = this.people(item)[0];
    const words = said ? this.words(said) : make("span", { class: "nothing" }, "no human description");
    const labels = item[4].slice(0, 2).filter(Boolean).join(", ");
    return make("summary", {},
      make("span", { class: "id" }, item[0]), make("span", { class: "mean" }, shown(value)),
      make("span", { class: "said" }, words, labels ? make("span", { class: "properties" }, `  ${labels}`) : null));
  }

  // The picture and what was said, for the gallery at the top.
  card({ item, value }, measure) {
    const said = this.people(item)[0];
    const went = wentOf(this.book, item, null);
    return make("figure", { class: "card" },
      sceneElement(lookOf(this.book, item, null)),
      went.length ? legend(went) : null,
      make("figcaption", {},
        make("b", {}, item[0]), measure ? ` ${measure} ${shown(value)}` : "",
        make("ul", { class: "told" }, make("li", {}, "people: ", said ? this.words(said) : "–"), ...this.told(item))));
  }

  // Systems that said the same share a line; the most frequent first.
  told(item) {
    const groups = new Map();
    item[6].forEach((number, i) => {
      const key = String(number), group = groups.get(key) ?? { said: saidIn(this.book, number), systems: [] };
      group.systems.push(this.source.systems[i]);
      groups.set(key, group);
    });
    const sorted = [...groups.values()].filter(({ systems }) => systems.join() !== "human").sort((a, b) => b.systems.length - a.systems.length);
    return sorted.slice(0, 3).map(({ said, systems }) => make("li", {}, systems.length > 1 ? `${systems.length} systems: ` : `${systems[0]}: `, said ? this.words(said) : make("span", { class: "nothing" }, "no answer")));
  }

  body(item) {
    const people = this.people(item).map((said) => make("li", {}, this.description(said)));
    const speaker = item[4][2] ? ` (speaker ${item[4][2]})` : "";
    return make("div", { class: "body" },
      this.scene(item),
      make("h3", {}, `People${speaker}`), people.length ? make("ul", { class: "people" }, ...people) : make("p", { class: "nothing" }, "nobody described this one"),
      make("h3", {}, "Systems"), this.scores(item));
  }

  scene(item) {
    const place = make("div", { class: "stage" });
    const show = (system) => {
      const look = lookOf(this.book, item, system);
      place.replaceChildren(sceneElement(look), look.went?.length ? legend(look.went) : "");
    };
    show(null);
    const parts = [make("h3", {}, "Scene"), ...this.chooser(item, show), place];
    if (item[3]) parts.push(make("p", { class: "note" }, `and ${item[3]} more entities`));
    parts.push(this.entities(item));
    return make("div", {}, ...parts);
  }

  chooser(item, show) {
    const heard = [...new Set(item[8].map(([, , system]) => system))].sort((a, b) => a - b);
    if (!heard.length) return [];
    const options = heard.map((system) => make("option", { value: system }, system === OWN_WORDS ? "people’s own words" : this.source.systems[system]));
    const select = make("select", {}, make("option", { value: "" }, "all descriptions"), ...options);
    select.addEventListener("change", () => show(select.value === "" ? null : Number(select.value)));
    return [make("label", { class: "chooser" }, "Where hearers went with ", select)];
  }

  // Everything the corpus says of the objects, as a table: pictures cannot show all of it.
  entities(item) {
    const [, , entities] = this.book.scenes[item[1]], targets = new Set(item[2]);
    const rows = entities.map(([id, numbers, relations], i) => make("li", { class: targets.has(i) ? "entity target" : "entity" },
      make("b", {}, id), targets.has(i) ? make("span", { class: "flag" }, " target") : null,
      `  ${[...numbers.map((n) => property(this.book, n).replace(":", ": ")), ...relations.map(([name, other]) => `${name} → ${other}`)].join(", ")}`));
    return make("details", { class: "objects" }, make("summary", {}, `${entities.length} objects in words`), make("ul", {}, ...rows));
  }

  people(item) {
    return item[5].map((number) => saidIn(this.book, number)).filter((said) => said !== null);
  }

  words([text, properties]) {
    if (text !== null) return text ? make("span", {}, `“${text}”`) : make("span", { class: "nothing" }, "(no words)");
    return make("span", {}, (properties ?? []).map((p) => property(this.book, p)).join(", ") || "(nothing)");
  }

  description(said) {
    if (!said) return make("span", { class: "nothing" }, "no answer");
    const [text, properties] = said;
    const span = make("span", {}, this.words(said));
    if (text !== null && properties !== null) span.append(make("span", { class: "properties" }, `  ${properties.map((p) => property(this.book, p)).join(", ") || "(no properties)"}`));
    return span;
  }

  scores(item) {
    const { systems, measures } = this.source;
    const hearers = [...new Set(item[8].map(([hearer]) => this.book.hearers[hearer]))];
    const number = (name) => make("th", { class: "number", scope: "col" }, name);
    const head = make("tr", { class: "heads" }, make("th", { scope: "col" }, "system"), make("th", { scope: "col" }, "said"),
      ...hearers.map((hearer) => number(`${hearer}: target`)), ...measures.map(([name]) => number(name.split("/").slice(1).join("/") || name)));
    const rows = systems.map((system, i) => make("tr", {}, make("th", { scope: "row" }, system), make("td", {}, this.description(saidIn(this.book, item[6][i]))),
      ...hearers.map((hearer) => this.hit(item, hearer, i)),
      ...measures.map((_, m) => {
        const value = scoreOf(item, i, m);
        return make("td", { class: "number", "data-order": value }, shown(value));
      })));
    const table = make("table", { class: "sortable" }, make("thead", {}, head), make("tbody", {}, ...rows));
    sortable(table);
    return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of item ${item[0]}` }, table);
  }

  hit(item, hearer, system) {
    const found = wentOf(this.book, item, system).find((went) => went.hearer === hearer);
    if (!found) return make("td", { class: "number" }, "–");
    const share = item[2].reduce((sum, place) => sum + (found.shares.get(place) ?? 0), 0);
    return make("td", { class: "number", "data-order": share }, percent(share));
  }
}
