// Words and marks as pure data: which words an utterance has, what a selection covers, what a change makes of the marks.

import type { Mark } from "./api.ts";

export interface Word {
  start: number;
  end: number;
}

// Languages that set no blanks between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
const UNBROKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function wordsIn(text: string): Word[] {
  return UNBROKEN.test(text) ? segmentsIn(text) : spacedIn(text);
}

// By the browser's own dictionary; character by character where it has none.
function segmentsIn(text: string): Word[] {
  if (typeof Intl === "undefined" || !("Segmenter" in Intl)) return [...text.matchAll(/\S/gu)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
  const segments = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
  return segments.filter(({ segment }) => segment.trim()).map(({ index, segment }) => ({ start: index, end: index + segment.length }));
}

function spacedIn(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}'’-]+|[^\s\p{L}\p{N}]/gu)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
}

export function sameMarks(a: readonly Mark[], b: readonly Mark[]): boolean {
  return JSON.stringify(tidy(a)) === JSON.stringify(tidy(b));
}

// In order of place, an outer one before those inside it; referents and attributes in one order.
export function tidy(marks: readonly Mark[]): Mark[] {
  return marks
    .map(({ start, end, referents, attributes, uncertain }) => ({ start, end, referents: [...referents].sort(), attributes: [...attributes].sort(), uncertain }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

// A new mark over some characters; whatever it would cross or repeat makes room.
export function addMark(marks: readonly Mark[], start: number, end: number): Mark[] {
  const crossed = (mark: Mark): boolean => {
    const apart = mark.end <= start || mark.start >= end;
    const inside = (mark.start >= start && mark.end <= end) || (mark.start <= start && mark.end >= end);
    return !apart && (!inside || (mark.start === start && mark.end === end));
  };
  return tidy([...marks.filter((mark) => !crossed(mark)), { start, end, referents: [], attributes: [], uncertain: false }]);
}

export function changeMark(marks: readonly Mark[], place: number, change: Partial<Mark>): Mark[] {
  return marks.map((mark, i) => (i === place ? { ...mark, ...change } : mark));
}

export function toggled(values: readonly string[], value: string): string[] {
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
}

// The innermost mark at a character, or -1.
export function markAt(marks: readonly Mark[], place: number): number {
  let [found, length] = [-1, Infinity];
  for (const [i, mark] of marks.entries()) {
    if (mark.start <= place && place < mark.end && mark.end - mark.start < length) [found, length] = [i, mark.end - mark.start];
  }
  return found;
}

// An expression without a referent that is not said to be unclear either: the utterance cannot be done yet.
export function unfinished(marks: readonly Mark[]): Mark | null {
  return marks.find((mark) => !mark.referents.length && !mark.uncertain) ?? null;
}

export function referentsTold(mark: Mark): string {
  if (!mark.referents.length) return mark.uncertain ? "unclear" : "?";
  return `${mark.uncertain ? "unclear: " : ""}${mark.referents.join(mark.uncertain ? " or " : " + ")}`;
}
