import assert from "node:assert/strict";
import { test } from "node:test";
import { unfinished, wordsIn } from "../src/annotator/marks.ts";

const told = (text: string): string[] => wordsIn(text).map(({ start, end }) => text.slice(start, end));

test("words with blanks between them are those between the blanks", () => {
  assert.deepEqual(told("it's the big one, there"), ["it's", "the", "big", "one", ",", "there"]);
});

test("languages without blanks are cut by the browser's dictionary, never left as one word", () => {
  for (const text of ["その三角形を右に置いて", "把红色的三角形放在左边"]) {
    const words = told(text);
    assert.ok(words.length > 3, words.join(" | "));
    assert.equal(words.join(""), text);
  }
});

test("an expression without a referent keeps an utterance from being done, unless it is unclear", () => {
  const mark = { start: 0, end: 2, referents: [], attributes: [], uncertain: false };
  assert.equal(unfinished([mark]), mark);
  assert.equal(unfinished([{ ...mark, uncertain: true }, { ...mark, referents: ["1"] }]), null);
});
