import assert from "node:assert/strict";
import { test } from "node:test";
import { initJsPsych } from "jspsych";
import type { Result } from "../src/plugins/parts/result.ts";
import { neighbour, Scene, type Entity } from "../src/plugins/parts/scene.ts";
import { missingParameters, PLUGINS } from "../src/plugins/table.ts";
import type { FilmData } from "../src/replay/film.ts";
import { speaker } from "../src/common/strings.ts";

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
const spoken = { language: "en", direction: "ltr" };
const identified = { ...scene, ...spoken, text: "the large red chair", reading: "together", start: "itself", input: "any", track: false, fixation_ms: 0, bell: false, timeout_ms: 0, choices: [], best_guess: false, confirm: false };
const replayed = {
  ...spoken, film, text: "put that there", span: [4, 8], role: "overhearer", cursor: true, subtitles: true, confirm: true, speed: 1, timeout_ms: 0,
  pieces: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [String(n), `e${n}`])), choices: ["dont-know"],
};
const EXAMPLES: Record<string, Record<string, unknown>[]> = {
  tangram: [{ puzzles: 2, chat: true, voice: false }],
  "reference-game": [{ entities: [{ id: "e1", picture: "a.svg" }, { id: "e2", picture: "b.svg" }], rounds: 4 }],
  page: [{ html: "<h1>Hello</h1>", button: "Continue" }],
  "sound-check": [{ html: "<h1>Can you hear it?</h1>" }],
  form: [{
    html: "", button: "Continue",
    fields: [
      { name: "age", question: "Age?", kind: "number", required: false, longest: 30 },
      { name: "sight", question: "Sight?", kind: "choice", choices: ["good", "bad"], required: true, longest: 200 },
      { name: "tongues", question: "Languages?", kind: "multi", choices: ["en", "pt"], required: false, longest: 200 },
    ],
  }],
  identify: ["together", "before", "words"].map((reading) => ({ ...identified, reading, timeout_ms: 15000, choices: ["none"], best_guess: true })),
  produce: [{ ...scene, ...spoken, target: "e2", prompt: "", shortest: 2, longest: 300 }, { ...scene, ...spoken, target: "e1", targets: ["e1", "e3"], prompt: "Which ones?", shortest: 20, longest: 30 }],
  "replay-identify": [replayed, { ...replayed, role: "operator", confirm: false }],
  locate: ["point", "box", "mark"].map((way) => ({
    ...spoken, text: "the dog", way, photo: { picture: "/p/a.png", width: 640, height: 480 }, marks: way === "mark" ? [{ id: "e1", box: [10, 10, 50, 50] }, { id: "e2", box: [100, 10, 200, 90] }] : [],
    choices: ["several", "none"], best_guess: true, confirm: true, timeout_ms: 0,
  })),
  judge: [
    { ...scene, ...spoken, text: "a chair", scales: [{ name: "adequacy", question: "Clear?", kind: "likert", points: 5, low: "no", high: "yes" }, { name: "fluency", question: "Fluent?", kind: "slider", points: 101, low: "no", high: "yes" }] },
    { ...scene, ...spoken, target: "e1", question: "Which?", tie: true, pairwise: { left: "a", right: "b" } },
  ],
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

test("for who reads for too long the scene comes by itself: no reading time, an identification time, and no key counts twice", async () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  const played = jsPsych.run([{ type: PLUGINS.identify!, ...identified, text: "the chair", reading: "before", reading_timeout_ms: 150 }]);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(holder.querySelector(".reading"), null);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
  holder.querySelector<HTMLElement>(".scene button")!.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  await played;
  const { answer, times } = jsPsych.data.get().values()[0] as Result;
  assert.deepEqual([answer.outcome, answer.reading_timeout, times.reading_ms], ["entity", true, null]);
  assert.ok((times.identification_ms as number) > 0);
  assert.ok((times.combined_ms as number) > (times.identification_ms as number));
  holder.remove();
});

test("where only the mouse counts no key starts or answers, and a trial waits until it is started", async () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  const played = jsPsych.run([{ type: PLUGINS.identify!, ...identified, start: "press", input: "mouse" }]);
  const later = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 400));
  const press = (node: Element): boolean => node.dispatchEvent(Object.assign(new Event("pointerdown", { bubbles: true }), { button: 0, isPrimary: true, pointerType: "mouse" }));
  await later();
  assert.ok(holder.querySelector(".panel.waiting"));
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
  await later();
  assert.ok(holder.querySelector(".starting"), "a key starts nothing");
  press(holder.querySelector(".starting .button")!);
  await later();
  const first = holder.querySelector(".scene button")!;
  first.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  await later();
  press(first);
  await played;
  const { answer } = jsPsych.data.get().values()[0] as Result;
  assert.deepEqual([answer.outcome, answer.pointer], ["entity", "mouse"]);
  holder.remove();
});

test("a hostile description is shown as text", async () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  void jsPsych.run([{ type: PLUGINS.identify!, ...identified, text: HOSTILE }]);
  await new Promise((resolve) => setTimeout(resolve, 120));
  assert.equal(holder.querySelector(".description")!.textContent, HOSTILE);
  assert.equal(holder.querySelectorAll("img").length, entities.length);
  holder.remove();
});

test("a description is not done before it is as long as the protocol asks, and all that is described is marked", async () => {
  const holder = document.body.appendChild(document.createElement("div"));
  const jsPsych = initJsPsych({ display_element: holder });
  void jsPsych.run([{ type: PLUGINS.produce!, ...EXAMPLES.produce![1]! }]);
  await new Promise((resolve) => setTimeout(resolve, 120));
  assert.equal(holder.querySelector(".description")!.textContent, "Which ones?");
  assert.deepEqual([...holder.querySelectorAll<HTMLElement>(".entity.marked")].map((node) => node.dataset.entity), ["e1", "e3"]);
  const [field, done] = [holder.querySelector("textarea")!, holder.querySelector<HTMLButtonElement>(".panel > .button")!];
  assert.equal(field.maxLength, 30);
  for (const [text, short] of [["the chairs", true], ["the chairs 😀 in the co", false], [" ".repeat(25), true]] as const) {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    assert.equal(done.disabled, short, text);
  }
  holder.remove();
});

test("a plug-in names what the plan does not say, and has no default in its place", () => {
  assert.deepEqual(missingParameters(PLUGINS.produce!, { ...EXAMPLES.produce![0]!, longest: undefined }), ["longest"]);
  for (const [name, plugin] of Object.entries(PLUGINS)) {
    for (const example of EXAMPLES[name]!) assert.deepEqual(missingParameters(plugin, example), [], name);
    const defaults = Object.values(plugin.info.parameters).map((parameter) => parameter.default as unknown);
    assert.deepEqual(defaults.filter((value) => value != null).flat(), [], name);
  }
});

test("names of objects tell their number and nothing else, in reading order", () => {
  const made = new Scene(scene.grid, [...entities].reverse(), speaker(), { pressable: true });
  const cells = [...made.node.querySelectorAll("button")];
  assert.deepEqual(cells.map((cell) => cell.getAttribute("aria-label")), ["Object 1", "Object 2", "Object 3"]);
  assert.deepEqual(cells.map((cell) => cell.parentElement!.querySelector("img")!.getAttribute("alt")), ["", "", ""]);
});

test("arrows go to the nearest object in their direction", () => {
  assert.equal(neighbour(entities[0]!, entities, "ArrowRight")!.id, "e2");
  assert.equal(neighbour(entities[1]!, entities, "ArrowDown")!.id, "e3");
  assert.equal(neighbour(entities[0]!, entities, "ArrowDown")!.id, "e3");
  assert.equal(neighbour(entities[0]!, entities, "ArrowUp"), null);
});

test("what cannot be heard is flagged, its times are empty, and the trial goes on", async () => {
  for (const reading of ["together", "before"]) {
    const heard = { ...identified, text: "", media: { src: "/m/a.wav", kind: "sound" }, media_repeats: 1, reading };
    const result = await simulate("visual", "identify", heard);
    assert.ok(result.flags.includes("preload-failed"));
    assert.deepEqual([result.times.media_onset, result.times.media_onset_error_ms, result.answer.outcome], [null, null, "entity"]);
  }
});
