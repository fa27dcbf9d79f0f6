// Where items come from: the page itself, which holds some of them, or the small server of `referee view`, which has them all.

import { OWN_WORDS, property, saidIn, scoreOf } from "./content.ts";
import type { Book, Content, Item, Said } from "./content.ts";

export interface Query {
  words: string;
  measure: number;
  system: number; // OWN_WORDS - 1: the mean of all
  order: string;
  domain: string;
  condition: string;
  page: number;
}

export interface Entry {
  item: Item;
  value: number | null;
}

export interface Found {
  entries: Entry[];
  found: number;
  held: number; // how many could be found
  total: number;
  unsure?: string; // why the number found may be too small
  book: Book;
}

export interface Source {
  systems: string[];
  measures: Array<[name: string, direction: string]>;
  lead: string | null;
  domains: string[];
  conditions: string[];
  ask(query: Query): Promise<Found>;
}

export const PAGE = 25;
export const ALL_SYSTEMS = OWN_WORDS - 1;

export class HeldItems implements Source {
  readonly systems: string[];
  readonly measures: Array<[string, string]>;
  readonly lead: string | null;
  readonly domains: string[];
  readonly conditions: string[];
  private readonly texts: string[];

  constructor(private readonly content: Content) {
    ({ systems: this.systems, measures: this.measures, lead: this.lead } = content);
    this.domains = this.levels(0);
    this.conditions = this.levels(1);
    this.texts = content.items.map((item) => this.searchable(item));
  }

  private levels(place: 0 | 1): string[] {
    return [...new Set(this.content.items.map((item) => item[4][place]).filter((v): v is string => Boolean(v)))].sort((a, b) => a.localeCompare(b));
  }

  private searchable(item: Item): string {
    const words = (said: Said): string => (said ? `${said[0] ?? ""}\n${(said[1] ?? []).map((p) => property(this.content, p)).join("\n")}` : "");
    const spoken = [...new Set([...item[5], ...item[6]])].map((number) => words(saidIn(this.content, number)));
    return [item[0], ...item[4].map((label) => label ?? ""), ...spoken].join("\n").toLowerCase();
  }

  // The value an item is ranked by: one system's, or the mean of those that have one (people do not count).
  private value(item: Item, { measure, system }: Query): number | null {
    if (system >= 0) return scoreOf(item, system, measure);
    const known = this.systems.map((name, i) => (name === "human" ? null : scoreOf(item, i, measure))).filter((v): v is number => v !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
  }

  ask(query: Query): Promise<Found> {
    const { items, total } = this.content;
    const words = query.words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item: Item, i: number): boolean => words.every((word) => this.texts[i]!.includes(word))
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

export interface ServedContent {
  systems: string[];
  measures: Array<[name: string, direction: string]>;
  lead: string | null;
  domains: string[];
  conditions: string[];
}

interface ServedItems extends Book {
  items: Item[];
  values: Array<number | null>;
  found: number;
  total: number;
  unsure?: string;
}

export class ServedItemsSource implements Source {
  readonly systems: string[];
  readonly measures: Array<[string, string]>;
  readonly lead: string | null;
  readonly domains: string[];
  readonly conditions: string[];

  constructor(content: ServedContent) {
    ({ systems: this.systems, measures: this.measures, lead: this.lead, domains: this.domains, conditions: this.conditions } = content);
  }

  async ask(query: Query): Promise<Found> {
    const told = {
      words: query.words, order: query.order, domain: query.domain, condition: query.condition, page: String(query.page),
      measure: this.measures[query.measure]?.[0] ?? "", system: query.system >= 0 ? this.systems[query.system]! : "",
    };
    const reply = await fetch(`items?${new URLSearchParams(told)}`);
    if (!reply.ok) throw new Error(await reply.text() || `the server answered ${reply.status}`);
    const said = await reply.json() as ServedItems;
    const entries = said.items.map((item, i) => ({ item, value: said.values[i] ?? null }));
    return { entries, found: said.found, held: said.total, total: said.total, book: said, ...(said.unsure ? { unsure: said.unsure } : {}) };
  }
}
