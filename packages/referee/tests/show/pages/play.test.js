import assert from "node:assert/strict";
import { test } from "node:test";
import { BrokenLink, linkOf, readLink } from "../../../src/referee/show/pages/play/link.js";
import { ACROSS, DOWN, KINDS, moved, readScene, sceneOf, withAnother, withTarget, withValue, without } from "../../../src/referee/show/pages/play/scene.js";

const scene = () => sceneOf(KINDS[0]);
const cells = (of) => new Map(of.entities.map(({ id, attributes }) => [id, [Number(attributes[ACROSS]) - 1, Number(attributes[DOWN]) - 1]]));

test("a link brings back what it was made of, whatever the words", () => {
  const shared = { scene: withTarget(scene(), "c"), speakers: ["classic/rsa"], hearers: ["noisy"], words: "die große rote Couch — 椅子" };
  assert.deepEqual(readLink(linkOf(shared)), shared);
  assert.equal(readLink(""), null);
});

test("a broken link says what is wrong with it", () => {
  const whole = linkOf({ scene: scene(), speakers: [], hearers: [], words: "" });
  const coded = (value) => `#scene=${btoa(JSON.stringify(value)).replaceAll("=", "")}`;
  const cases = [
    [whole.slice(0, -30), /missing|changed/],
    ["#scene=<script>", /letters, digits/],
    ["#other", /#scene=/],
    [coded(7), /something else than a scene/],
    [coded({ scene: { entities: [] } }), /no objects/],
    [coded({ scene: { entities: [{ id: "a" }], target: "z" } }), /target z is not among/],
    [coded({ scene: { entities: [{ id: "a" }] } }), /names no target/],
  ];
  for (const [link, said] of cases) assert.throws(() => readLink(link), (error) => error instanceof BrokenLink && said.test(error.message), link);
});

test("objects are changed, added to a free cell, moved and removed", () => {
  const start = scene();
  assert.equal(withValue(start, "a", "colour", "green").entities[0].attributes["colour"], "green");
  assert.equal(start.entities[0].attributes["colour"], "red", "the old scene stays");
  const more = withAnother(start, "a");
  assert.equal(more.entities.length, 6);
  assert.equal(new Set([...cells(more).values()].map(String)).size, 6, "nobody stands on anybody");
  const away = moved(start, "a", [4, 2], cells(start));
  assert.deepEqual(cells(away).get("a"), [4, 2]);
  assert.deepEqual(cells(away).get("e"), cells(start).get("a"), "whoever stood there changes places");
  const fewer = without(start, start.target);
  assert.equal(fewer.entities.length, 4);
  assert.equal(fewer.target, "b", "somebody else is the target");
});

test("attributes are read as pairs and as names, as Python writes them", () => {
  const read = readScene({ entities: [{ id: "a", attributes: [["colour", "red"]] }, { id: "b", attributes: { size: 3 } }], targets: ["b"] });
  assert.deepEqual(read.entities.map(({ attributes }) => attributes), [{ colour: "red" }, { size: "3" }]);
  assert.equal(read.target, "b");
});
