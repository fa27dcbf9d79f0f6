// One item: its scene as a picture with where hearers went, what people and systems said, and every score.

import { make } from "../common/dom.ts";
import { legend, percent, sceneElement } from "../scene/picture.ts";
import { OWN_WORDS, lookOf, property, saidIn, scoreOf, wentOf } from "./content.ts";
import type { Book, Item, Said } from "./content.ts";
import type { Entry, Source } from "./sources.ts";
import { sortable } from "./tables.ts";

export const shown = (value: number | null | undefined): string => (value == null ? "–" : Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1));

export class ItemView {
  constructor(private readonly source: Source, private readonly book: Book) {}

  summary({ item, value }: Entry): HTMLElement {
    const said = this.people(item)[0];
    const words = said ? this.words(said) : make("span", { class: "nothing" }, "no human description");
    const labels = item[4].slice(0, 2).filter(Boolean).join(", ");
    return make("summary", {},
      make("span", { class: "id" }, item[0]), make("span", { class: "mean" }, shown(value)),
      make("span", { class: "said" }, words, labels ? make("span", { class: "properties" }, `  ${labels}`) : null));
  }

  // The picture and what was said, for the gallery at the top.
  card({ item, value }: Entry, measure: string): HTMLElement {
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
  private told(item: Item): HTMLElement[] {
    const groups = new Map<string, { said: Said; systems: string[] }>();
    item[6].forEach((number, i) => {
      const key = String(number), group = groups.get(key) ?? { said: saidIn(this.book, number), systems: [] };
      group.systems.push(this.source.systems[i]!);
      groups.set(key, group);
    });
    const sorted = [...groups.values()].filter(({ systems }) => systems.join() !== "human").sort((a, b) => b.systems.length - a.systems.length);
    return sorted.slice(0, 3).map(({ said, systems }) => make("li", {}, systems.length > 1 ? `${systems.length} systems: ` : `${systems[0]}: `, said ? this.words(said) : make("span", { class: "nothing" }, "no answer")));
  }

  body(item: Item): HTMLElement {
    const people = this.people(item).map((said) => make("li", {}, this.description(said)));
    const speaker = item[4][2] ? ` (speaker ${item[4][2]})` : "";
    return make("div", { class: "body" },
      this.scene(item),
      make("h3", {}, `People${speaker}`), people.length ? make("ul", { class: "people" }, ...people) : make("p", { class: "nothing" }, "nobody described this one"),
      make("h3", {}, "Systems"), this.scores(item));
  }

  private scene(item: Item): HTMLElement {
    const place = make("div", { class: "stage" });
    const show = (system: number | null): void => {
      const look = lookOf(this.book, item, system);
      place.replaceChildren(sceneElement(look), look.went?.length ? legend(look.went) : "");
    };
    show(null);
    const parts: Array<Node> = [make("h3", {}, "Scene"), ...this.chooser(item, show), place];
    if (item[3]) parts.push(make("p", { class: "note" }, `and ${item[3]} more entities`));
    parts.push(this.entities(item));
    return make("div", {}, ...parts);
  }

  private chooser(item: Item, show: (system: number | null) => void): Node[] {
    const heard = [...new Set(item[8].map(([, , system]) => system))].sort((a, b) => a - b);
    if (!heard.length) return [];
    const options = heard.map((system) => make("option", { value: system }, system === OWN_WORDS ? "people’s own words" : this.source.systems[system]!));
    const select = make("select", {}, make("option", { value: "" }, "all descriptions"), ...options);
    select.addEventListener("change", () => show(select.value === "" ? null : Number(select.value)));
    return [make("label", { class: "chooser" }, "Where hearers went with ", select)];
  }

  // Everything the corpus says of the objects, as a table: pictures cannot show all of it.
  private entities(item: Item): HTMLElement {
    const [, , entities] = this.book.scenes[item[1]]!, targets = new Set(item[2]);
    const rows = entities.map(([id, numbers, relations], i) => make("li", { class: targets.has(i) ? "entity target" : "entity" },
      make("b", {}, id), targets.has(i) ? make("span", { class: "flag" }, " target") : null,
      `  ${[...numbers.map((n) => property(this.book, n).replace(":", ": ")), ...relations.map(([name, other]) => `${name} → ${other}`)].join(", ")}`));
    return make("details", { class: "objects" }, make("summary", {}, `${entities.length} objects in words`), make("ul", {}, ...rows));
  }

  private people(item: Item): Array<NonNullable<Said>> {
    return item[5].map((number) => saidIn(this.book, number)).filter((said): said is NonNullable<Said> => said !== null);
  }

  words([text, properties]: NonNullable<Said>): HTMLElement {
    if (text !== null) return text ? make("span", {}, `“${text}”`) : make("span", { class: "nothing" }, "(no words)");
    return make("span", {}, (properties ?? []).map((p) => property(this.book, p)).join(", ") || "(nothing)");
  }

  private description(said: Said): HTMLElement {
    if (!said) return make("span", { class: "nothing" }, "no answer");
    const [text, properties] = said;
    const span = make("span", {}, this.words(said));
    if (text !== null && properties !== null) span.append(make("span", { class: "properties" }, `  ${properties.map((p) => property(this.book, p)).join(", ") || "(no properties)"}`));
    return span;
  }

  private scores(item: Item): HTMLElement {
    const { systems, measures } = this.source;
    const hearers = [...new Set(item[8].map(([hearer]) => this.book.hearers[hearer]!))];
    const number = (name: string): HTMLElement => make("th", { class: "number", scope: "col" }, name);
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

  private hit(item: Item, hearer: string, system: number): HTMLElement {
    const found = wentOf(this.book, item, system).find((went) => went.hearer === hearer);
    if (!found) return make("td", { class: "number" }, "–");
    const share = item[2].reduce((sum, place) => sum + (found.shares.get(place) ?? 0), 0);
    return make("td", { class: "number", "data-order": share }, percent(share));
  }
}
