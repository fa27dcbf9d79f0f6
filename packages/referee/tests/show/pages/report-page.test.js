import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOf, wentOf } from "../../../src/referee/show/pages/report/content.js";

import { sceneElement } from "../../../src/referee/show/pages/scene-picture.js";

const book = {
  properties: [["colour", "red"], ["colour", "blue"]],
  scenes: [[212, 112, [["x", [0], [], 0, 0.03, 0.05, 0.47, 0.89], ["y", [1], [], null, 0.5, 0.05, 0.47, 0.89]]]],
  pictures: ["<svg></svg>"],
  said: [["the red one", [0]]],
  shares: [[4, [[0, 0.75], ["dont-know", 0.25]]], [12, [[1, 1]]]],
  hearers: ["people"],
};
const item = ["t1", 0, [0], 0, [null, null, null], [0], [0, 0], [[500], [null]], [[0, 0, 0], [0, 1, 1]]];

test("where hearers went is pooled by how many answered", () => {
  // By hand: 4 answers to the first system, 12 to the second: 3 of 16 at x, 12 of 16 at y, 1 of 16 nowhere.
  const [went] = wentOf(book, item, null);
  assert.equal(went.n, 16);
  assert.deepEqual([...went.shares], [[0, 0.1875], [1, 0.75]]);
  assert.deepEqual(went.elsewhere, [["dont-know", 0.0625]]);
  assert.deepEqual([...wentOf(book, item, 0)[0].shares], [[0, 0.75]]);
});

test("a picture says in words what it shows, and boxes need no picture of their own", () => {
  const scene = sceneElement(lookOf(book, item, 0));
  const [first, second] = [...scene.children];
  assert.equal(first.querySelector("img").getAttribute("alt"), "target; x, colour red; chosen by people 75%");
  assert.equal(first.querySelector(".went b").textContent, "75%");
  assert.equal(second.querySelector("img"), null, "what a photograph shows");
  assert.equal(second.style.left, "50%");
});

test("objects make room for the bars of the fullest cell, all alike", () => {
  const look = { width: 200, height: 100, targets: new Set(), things: [0, 1].map((i) => ({ id: `e${i}`, picture: "<svg/>", box: { left: 0, top: 0, width: 0.5, height: 1 }, words: "x" })) };
  const went = (shares) => ({ hearer: "h", n: 4, shares: new Map(shares), elsewhere: [] });
  assert.equal(sceneElement(look).style.getPropertyValue("--bars"), "");
  assert.equal(sceneElement({ ...look, went: [went([[0, 1]]), went([[0, 0.5], [1, 0.001]])] }).style.getPropertyValue("--bars"), "2", "a share that no bar shows needs no room");
});
