import assert from "node:assert/strict";
import { test } from "node:test";
import { initJsPsych } from "jspsych";
import type { Result } from "../src/plugins/result.ts";
import { neighbour, Scene, type Entity } from "../src/plugins/scene.ts";
import { PLUGINS } from "../src/plugins/table.ts";
import type { FilmData } from "../src/tangram/film.ts";
import { speaker } from "../src/strings.ts";

const HOSTILE = "<img src=x onerror=alert(1)> the chair";
const entities: Entity[] = [
  { id: "e1", picture: "/p/a.svg", column: 0, row: 0 }, { id: "e2", picture: "/p/b.svg", column: 2, row: 0 }, { id: "e3", picture: "/p/c.svg", column: 2, row: 2 },
];
const scene = { grid: { columns: 3, rows: 3 }, entities };
const placed = (x: number, y: number) => ({ x, y, rotation: 0, flipped: false });
const film: FilmData = {
  start_ms: 1000, end_ms: 1200, cursor: null, said: [], hints: [],
  state: { pieces: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [String(n), placed(150 * n, 400)])), order: ["1", "2", "3", "4", "5", "6", "7"], step: 45, area: [1200, 800] },
  marks: [[1050, 300, 300], [1100, "2", 320, 410, 90, true]],
};
const replayed = { film, text: "put that there", span: [4, 8], pieces: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [String(n), `e${n}`])), choices: ["dont-know"] };
const EXAMPLES: Record<string, Record<string, unknown>[]> = {
  tangram: [{ puzzles: 2 }],
  page: [{ html: "<h1>Hello</h1>" }],
  form: [{ fields: [{ name: "age", question: "Age?", kind: "number" }, { name: "sight", question: "Sight?", kind: "choice", choices: ["good", "bad"], required: true }, { name: "tongues", question: "Languages?", kind: "multi", choices: ["en", "pt"] }] }],
  identify: ["together", "before", "words"].map((reading) => ({ ...scene, text: "the large red chair", reading, timeout_ms: 15000, choices: ["none"], best_guess: true })),
  produce: [{ ...scene, target: "e2" }],
  "replay-identify": [replayed, { ...replayed, role: "operator", confirm: false }],
  judge: [{ ...scene, text: "a chair", scales: [{ name: "adequacy", question: "Clear?", kind: "likert", points: 5 }, { name: "fluency", question: "Fluent?", kind: "slider" }] }, { ...scene, pairwise: { left: "a", right: "b" } }],
};

async function simulate(mode: "data-only" | "visual", name: string, parameters: Record<string, unknown>): Promise<Result> {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  await jsPsych.simulate([{ type: PLUGINS[name]!, ...parameters }], mode);
  holder.remove();
  return jsPsych.data.get().values()[0] as Result;
}

test("every plug-in has an example here, a version, a description of its data, and can be simulated", () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), Object.keys(PLUGINS).sort());
  for (const plugin of Object.values(PLUGINS)) {
    assert.match(plugin.info.version ?? "", /^\d+\.\d+\.\d+$/);
    assert.deepEqual(Object.keys(plugin.info.data ?? {}), ["answer", "times", "flags"]);
    assert.equal(typeof plugin.prototype.simulate, "function");
  }
});

for (const [name, examples] of Object.entries(EXAMPLES)) {
  for (const [i, parameters] of examples.entries()) {
    test(`${name} ${i + 1} answers alike in both ways of simulating`, async () => {
      const [plain, visual] = [await simulate("data-only", name, parameters), await simulate("visual", name, parameters)];
      for (const result of [plain, visual]) {
        const { t_onset, t_response, combined_ms } = result.times as Record<string, number>;
        assert.ok(Math.abs(t_response! - t_onset! - combined_ms!) < 1e-6 || name === "identify");
        assert.ok(combined_ms! > 0);
      }
      assert.deepEqual(Object.keys(plain.answer).sort(), Object.keys(visual.answer).sort());
      assert.deepEqual(Object.keys(plain.times).filter((key) => plain.times[key] !== null).sort(), Object.keys(visual.times).filter((key) => visual.times[key] !== null).sort());
    });
  }
}

test("word by word there is one time for each word, and the times add up", async () => {
  const { times } = await simulate("visual", "identify", EXAMPLES.identify![2]!);
  const regions = times.regions_ms as number[];
  assert.equal(regions.length, 4);
  assert.ok(regions.every((time) => time > 0));
  assert.ok((times.reading_ms as number) >= regions.reduce((a, b) => a + b, 0));
});

test("who reads for too long sees no scene, and the trial ends as a timeout", async () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  const played = jsPsych.run([{ type: PLUGINS.identify!, ...scene, text: "the chair", reading: "before", reading_timeout_ms: 150 }]);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(holder.querySelector(".scene"), null);
  await played;
  const { answer, times } = jsPsych.data.get().values()[0] as Result;
  assert.deepEqual([answer.outcome, answer.entity, times], ["timeout", null, {}]);
  holder.remove();
});

test("a hostile description is shown as text", async () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  void jsPsych.run([{ type: PLUGINS.identify!, ...scene, text: HOSTILE }]);
  await new Promise((resolve) => setTimeout(resolve, 120));
  assert.equal(holder.querySelector(".description")!.textContent, HOSTILE);
  assert.equal(holder.querySelectorAll("img").length, entities.length);
  holder.remove();
});

test("names of objects tell their number and nothing else, in reading order", () => {
  const made = new Scene(scene.grid, [...entities].reverse(), speaker(), { pressable: true });
  const cells = [...made.node.querySelectorAll("button")];
  assert.deepEqual(cells.map((cell) => cell.getAttribute("aria-label")), ["Object 1", "Object 2", "Object 3"]);
  assert.deepEqual(cells.map((cell) => cell.querySelector("img")!.getAttribute("alt")), ["", "", ""]);
});

test("arrows go to the nearest object in their direction", () => {
  assert.equal(neighbour(entities[0]!, entities, "ArrowRight")!.id, "e2");
  assert.equal(neighbour(entities[1]!, entities, "ArrowDown")!.id, "e3");
  assert.equal(neighbour(entities[0]!, entities, "ArrowDown")!.id, "e3");
  assert.equal(neighbour(entities[0]!, entities, "ArrowUp"), null);
});
