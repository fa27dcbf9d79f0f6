// Where items come from: the page itself, which holds some of them, or the small server of `referee view`, which has them all.

import { askServer } from "../dom.js";
import { OWN_WORDS, property, saidIn, scoreOf } from "./content.js";

export const PAGE = 25;
export const ALL_SYSTEMS = OWN_WORDS - 1;

export class HeldItems {
  systems;
  measures;
  lead;
  domains;
  conditions;
  texts;

  constructor(content) {
    this.content = content;
    ({ systems: this.systems, measures: this.measures, lead: this.lead } = content);
    this.domains = this.levels(0);
    this.conditions = this.levels(1);
    this.texts = content.items.map((item) => this.searchable(item));
  }

  levels(place) {
    return [...new Set(this.content.items.map((item) => item[4][place]).filter((v) => Boolean(v)))].sort((a, b) => a.localeCompare(b));
  }

  searchable(item) {
    const words = (said) => (said ? `${said[0] ?? ""}\n${(said[1] ?? []).map((p) => property(this.content, p)).join("\n")}` : "");
    const spoken = [...new Set([...item[5], ...item[6]])].map((number) => words(saidIn(this.content, number)));
    return [item[0], ...item[4].map((label) => label ?? ""), ...spoken].join("\n").toLowerCase();
  }

  // The value an item is ranked by: one system's, or the mean of those that have one (people do not count).
  value(item, { measure, system }) {
    if (system >= 0) return scoreOf(item, system, measure);
    const known = this.systems.map((name, i) => (name === "human" ? null : scoreOf(item, i, measure))).filter((v) => v !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
  }

  ask(query) {
    const { items, total } = this.content;
    const words = query.words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item, i) => words.every((word) => this.texts[i].includes(word))
      && (!query.domain || item[4][0] === query.domain) && (!query.condition || item[4][1] === query.condition);
    const kept = items.map((item, i) => ({ item, i, value: this.value(item, query) })).filter(({ item, i }) => fits(item, i));
    if (query.order === "run") kept.sort((a, b) => a.item[0].localeCompare(b.item[0], undefined, { numeric: true }));
    else {
      const lower = this.measures[query.measure]?.[1] === "lower";
      const sign = (query.order === "worst") === lower ? -1 : 1;
      kept.sort((a, b) => Number(a.value === null) - Number(b.value === null) || (a.value === null || b.value === null ? 0 : sign * (a.value - b.value)) || a.i - b.i);
    }
    const start = query.page * PAGE;
    return Promise.resolve({ entries: kept.slice(start, start + PAGE), found: kept.length, held: items.length, total, book: this.content });
  }
}

export class ServedItemsSource {
  systems;
  measures;
  lead;
  domains;
  conditions;

  constructor(content) {
    ({ systems: this.systems, measures: this.measures, lead: this.lead, domains: this.domains, conditions: this.conditions } = content);
  }

  async ask(query) {
    const fields = {
      words: query.words, order: query.order, domain: query.domain, condition: query.condition, page: String(query.page),
      measure: this.measures[query.measure]?.[0] ?? "", system: query.system >= 0 ? this.systems[query.system] : "",
    };
    const answer = await askServer(`items?${new URLSearchParams(fields)}`);
    const entries = answer.items.map((item, i) => ({ item, value: answer.values[i] ?? null }));
    return { entries, found: answer.found, held: answer.total, total: answer.total, book: answer, ...(answer.unsure ? { unsure: answer.unsure } : {}) };
  }
}
