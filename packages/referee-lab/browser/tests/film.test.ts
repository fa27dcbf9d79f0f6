import assert from "node:assert/strict";
import { test } from "node:test";
import { addMark, markAt, referentsTold, sameMarks, wordsIn } from "../src/annotator/marks.ts";
import { inRed } from "../src/plugins/replay-identify.ts";
import { countUpTo, Film, type FilmData } from "../src/replay/film.ts";
import { clock } from "../src/common/clock.ts";
import { captionAt } from "../src/replay/player.ts";
import { Projector } from "../src/replay/projector.ts";
import { FakeFrames } from "./fake-frames.ts";

const at = (x: number) => ({ x, y: 100, rotation: 0, flipped: false });
const state = { pieces: Object.fromEntries(["1", "2", "3", "4", "5", "6", "7"].map((id) => [id, at(100 * Number(id))])), order: ["1", "2", "3", "4", "5", "6", "7"], step: 45, area: [1200, 800] as const };
const later = { ...state, order: ["7", "6", "5", "4", "3", "2", "1"] };
const data: FilmData = {
  start_ms: 1000, end_ms: 2000, state, cursor: [1, 1], hints: [],
  marks: [[1100, 5, 6], [1100, "3", 50, 60, 90, true], [1500, later], [1600, 7, 8]],
  said: [{ by: "solver", text: "that one", start_ms: 1000, end_ms: 1300, shown_ms: 1300 }],
};

test("a film shows the stored state of a time: nothing before its mark, everything from it on", () => {
  const film = new Film(data);
  assert.deepEqual(film.at(1099.9), { board: state, cursor: [1, 1] });
  const { board, cursor } = film.at(1100);
  assert.deepEqual([board.pieces["3"], board.order.at(-1), cursor], [{ x: 50, y: 60, rotation: 90, flipped: true }, "3", [5, 6]]);
  assert.deepEqual(film.at(1500).board, later);
  assert.deepEqual(film.at(99999).cursor, [7, 8]);
});

test("frames are the times at which something changed, and one can step through them both ways", () => {
  const film = new Film(data);
  assert.deepEqual(film.frames, [1100, 1500, 1600]);
  assert.deepEqual([film.neighbour(1000, 1), film.neighbour(1100, 1), film.neighbour(1600, 1)], [1100, 1500, 2000]);
  assert.deepEqual([film.neighbour(2000, -1), film.neighbour(1500, -1), film.neighbour(1300, -1), film.neighbour(1100, -1)], [1600, 1100, 1100, 1000]);
  assert.deepEqual([countUpTo([1, 2, 2, 3], 2), countUpTo([], 5)], [3, 0]);
});

test("a second of film takes a second at a speed of 1 and an eighth at 8, and ends on its last frame", async () => {
  for (const [speed, expected] of [[1, 1000], [8, 125]] as const) {
    const frames = new FakeFrames(1000 / 60);
    const projector = new Projector(new Film(data), frames, "board");
    projector.speed = speed;
    const began = frames.now();
    let ended: number | null = null;
    void projector.playThrough().then((frame) => (ended = frame));
    while (projector.playing) await frames.run(1);
    await Promise.resolve();
    assert.equal(projector.time, 2000);
    assert.ok(ended !== null && Math.abs(ended - began - expected) <= 2 * 17, `${ended! - began} ms at ${speed}`);
  }
});

test("subtitles stay as long as one would look at them", () => {
  assert.equal(captionAt(data.said, 1299), null);
  assert.equal(captionAt(data.said, 1300)!.text, "that one");
  assert.equal(captionAt(data.said, 7301), null);
});

test("times are read as on a clock", () => {
  assert.deepEqual([clock(0), clock(61_000), clock(40_000, 2), clock(59_999, 2)], ["0:00", "1:01", "0:40.00", "0:59.99"]);
});

test("the expression is red and everything stays text", () => {
  const holder = document.createElement("p");
  holder.append(...inRed("put <b>it</b> there", [4, 13]));
  assert.equal(holder.textContent, "put <b>it</b> there");
  assert.equal(holder.querySelector(".expression-in-red")!.textContent, "<b>it</b>");
  assert.equal(holder.querySelector("b"), null);
});

test("a new mark makes room: crossing ones go, inner and outer ones stay", () => {
  const text = "the triangle on top of the big one";
  assert.equal(wordsIn(text).length, 8);
  const one = addMark([], 0, 12);
  assert.deepEqual(addMark(one, 0, 34).map(({ start, end }) => [start, end]), [[0, 34], [0, 12]]);
  assert.deepEqual(addMark(one, 4, 20).map(({ start, end }) => [start, end]), [[4, 20]]);
  assert.equal(markAt(addMark(one, 0, 34), 5), 1);
  assert.equal(markAt(one, 20), -1);
});

test("referents are one, several, or unclear", () => {
  const mark = { start: 0, end: 3, attributes: [], referents: ["1"], uncertain: false };
  assert.deepEqual([referentsTold(mark), referentsTold({ ...mark, referents: ["1", "2"] }), referentsTold({ ...mark, referents: ["1", "2"], uncertain: true })], ["1", "1 + 2", "unclear: 1 or 2"]);
  assert.ok(sameMarks([mark], [{ ...mark, attributes: [] }]));
  assert.ok(!sameMarks([mark], []));
});
