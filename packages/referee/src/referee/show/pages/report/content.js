// Reads what Python writes for the item browser (reports/item_browser.py): lists instead of names, since there are thousands of them.

/**
 * @typedef {[text: string | null, properties: number[] | null]} Said
 * @typedef {[id: string, scene: number, targets: number[], hidden: number, labels: [domain: string | null, condition: string | null, speaker: string | null],
 *   people: (number | null)[], outputs: (number | null)[], scores: (number | null)[][], went: [hearer: number, shares: number, system: number][]]} Item  scores are in thousandths; people and outputs are indices into `said`
 * @typedef {[id: string, properties: number[], relations: [string, string][], picture: number | null, left: number, top: number, width: number, height: number]} EntityRow
 * @typedef {object} Book
 * @property {[name: string, value: string][]} properties
 * @property {[width: number, height: number, entities: EntityRow[], ground?: string][]} scenes
 * @property {string[]} pictures
 * @property {Said[]} said
 * @property {[n: number, shares: [place: number | string, share: number][]][]} shares
 * @property {string[]} hearers
 */

// The system number of people's own words where people are not among the systems.
export const OWN_WORDS = -1;

export function saidIn(book, number) {
  return number == null ? null : book.said[number] ?? null;
}

export function scoreOf(item, system, measure) {
  const thousandths = item[7][system]?.[measure];
  return thousandths == null ? null : thousandths / 1000;
}

export function property(book, number) {
  return (book.properties[number] ?? []).join(":");
}

export function lookOf(book, item, system) {
  const [width, height, entities, ground] = book.scenes[item[1]];
  const things = entities.map(([id, numbers, relations, picture, left, top, w, h]) => ({
    id,
    picture: picture === null ? null : book.pictures[picture],
    box: { left, top, width: w, height: h },
    words: [id, ...numbers.map((n) => property(book, n).replace(":", " ")), ...relations.map(([name, other]) => `${name} ${other}`)].join(", "),
  }));
  return { width, height, things, targets: new Set(item[2]), went: wentOf(book, item, system), ...(ground ? { ground } : {}) };
}

// Where each hearer went with one system's words, or on average over all systems (people's own words apart).
export function wentOf(book, item, system) {
  const groups = new Map();
  for (const [hearer, shares, of] of item[8]) if (system === null || of === system) groups.set(hearer, [...(groups.get(hearer) ?? []), book.shares[shares]]);
  return [...groups].map(([hearer, rows]) => pooled(book.hearers[hearer], rows));
}

function pooled(hearer, rows) {
  const shares = new Map(), elsewhere = new Map();
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
