// What the item browser is given, as Python writes it (reports/item_browser.py): lists instead of names, since there are thousands of them.

import type { SceneLook, Went } from "../scene/picture.ts";

export type Said = [text: string | null, properties: number[] | null] | null;
type SaidNumber = number | null; // of the book, for many say the same
type ChoiceShares = [n: number, shares: Array<[place: number | string, share: number]>];
type WentRow = [hearer: number, shares: number, system: number];
export type Item = [
  id: string,
  scene: number,
  targets: number[],
  hidden: number,
  labels: [domain: string | null, condition: string | null, speaker: string | null],
  people: SaidNumber[],
  outputs: SaidNumber[],
  scores: Array<Array<number | null>>, // in thousandths
  went: WentRow[],
];
type EntityRow = [id: string, properties: number[], relations: Array<[string, string]>, picture: number | null, left: number, top: number, width: number, height: number];
export type SceneRow = [width: number, height: number, entities: EntityRow[], ground?: string];

export interface Book {
  properties: Array<[name: string, value: string]>;
  scenes: SceneRow[];
  pictures: string[];
  said: Array<NonNullable<Said>>;
  shares: ChoiceShares[];
  hearers: string[];
}

export interface Content extends Book {
  systems: string[];
  measures: Array<[name: string, direction: string]>;
  lead: string | null;
  total: number;
  items: Item[];
}

// People's own words, where they do not stand among the systems.
export const OWN_WORDS = -1;

export function saidIn(book: Book, number: SaidNumber | undefined): Said {
  return number == null ? null : book.said[number] ?? null;
}

export function scoreOf(item: Item, system: number, measure: number): number | null {
  const thousandths = item[7][system]?.[measure];
  return thousandths == null ? null : thousandths / 1000;
}

export function property(book: Book, number: number): string {
  return (book.properties[number] ?? []).join(":");
}

export function lookOf(book: Book, item: Item, system: number | null): SceneLook {
  const [width, height, entities, ground] = book.scenes[item[1]]!;
  const things = entities.map(([id, numbers, relations, picture, left, top, w, h]) => ({
    id,
    picture: picture === null ? null : book.pictures[picture]!,
    box: { left, top, width: w, height: h },
    words: [id, ...numbers.map((n) => property(book, n).replace(":", " ")), ...relations.map(([name, other]) => `${name} ${other}`)].join(", "),
  }));
  return { width, height, things, targets: new Set(item[2]), went: wentOf(book, item, system), ...(ground ? { ground } : {}) };
}

// Where each hearer went with one system's words, or on average over all systems (people's own words apart).
export function wentOf(book: Book, item: Item, system: number | null): Went[] {
  const groups = new Map<number, ChoiceShares[]>();
  for (const [hearer, shares, of] of item[8]) if (system === null || of === system) groups.set(hearer, [...(groups.get(hearer) ?? []), book.shares[shares]!]);
  return [...groups].map(([hearer, rows]) => pooled(book.hearers[hearer]!, rows));
}

function pooled(hearer: string, rows: ChoiceShares[]): Went {
  const shares = new Map<number, number>(), elsewhere = new Map<string, number>();
  const n = rows.reduce((sum, [count]) => sum + count, 0);
  for (const [count, found] of rows) {
    for (const [place, share] of found) {
      const more = (share * count) / n;
      if (typeof place === "number") shares.set(place, (shares.get(place) ?? 0) + more);
      else elsewhere.set(place, (elsewhere.get(place) ?? 0) + more);
    }
  }
  return { hearer, n, shares, elsewhere: [...elsewhere] };
}
