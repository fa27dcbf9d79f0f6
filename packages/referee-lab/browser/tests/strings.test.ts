import assert from "node:assert/strict";
import { test } from "node:test";
import { speaker } from "../src/common/strings.ts";

test("what is counted has the form of its language, and English where the study has no words of its own", () => {
  const polish = speaker({ scene_one: "{n} obiekt", scene_few: "{n} obiekty", scene_many: "{n} obiektów", scene_other: "{n} obiektu" }, "pl");
  assert.deepEqual([1, 3, 5, 22].map((n) => polish("scene", { n })), ["1 obiekt", "3 obiekty", "5 obiektów", "22 obiekty"]);
  const japanese = speaker({ scene_other: "{n} 個" }, "ja");
  assert.deepEqual([1, 2].map((n) => japanese("scene", { n })), ["1 個", "2 個"]);
  const bare = speaker({}, "pl");
  assert.deepEqual([1, 2].map((n) => bare("scene", { n })), ["Scene with 1 object", "Scene with 2 objects"]);
});

test("a number in a word that counts nothing is only filled in", () => {
  assert.equal(speaker()("object", { n: 3 }), "Object 3");
});
