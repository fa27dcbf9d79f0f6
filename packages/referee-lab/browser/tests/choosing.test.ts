import assert from "node:assert/strict";
import { test } from "node:test";
import { make } from "../src/common/dom.ts";
import { answerOf, decide, makeChoice, markChoice, onChoice, tellTimeout, type Decision } from "../src/plugins/parts/choosing.ts";
import { plainSurroundings } from "../src/plugins/parts/surroundings.ts";
import { Watch } from "../src/timing/watch.ts";
import { FakeFrames } from "./fake-frames.ts";

interface Table {
  frames: FakeFrames;
  made: Promise<Decision>;
  press: (name: string) => void;
  settling: HTMLElement | null;
  choices: HTMLElement;
  marked: (string | null)[];
}

function layOut(options: { confirm?: boolean; limit?: number; onset?: number } = {}): Table {
  const frames = new FakeFrames(16);
  const around = { ...plainSurroundings(), frames };
  const choices = make("div", {}, makeChoice("none", "None"), makeChoice("several", "Several"));
  const settling = options.confirm ? make("div", {}) : null;
  const marked: (string | null)[] = [];
  const at = options.onset ?? 0;
  const made = decide({
    around, settling, watch: new Watch(frames), onset: { request: at, frame: at, onset: at }, limit: options.limit ?? 0,
    listen: (heard, signal) => onChoice(choices, (name, press) => heard(name, null, press), signal),
    mark: (decision) => {
      marked.push(decision?.outcome ?? null);
      markChoice(choices, decision?.outcome ?? null);
    },
  });
  const press = (name: string): void => {
    const buttons = [...choices.querySelectorAll("button"), ...(settling?.querySelectorAll("button") ?? [])];
    buttons.find((node) => node.textContent === name)!.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  };
  return { frames, made, press, settling, choices, marked };
}

test("without a confirmation the first choice counts, and nothing after it", async () => {
  const { made, press, marked } = layOut();
  press("Several");
  press("None");
  const decision = await made;
  assert.deepEqual([decision.outcome, decision.corrected, decision.confirmed, marked], ["several", false, null, []]);
  assert.deepEqual(answerOf(decision, 2), { outcome: "several", entity: null, repeats: 2, corrected: false, pointer: "keyboard", trusted: false });
});

test("with a confirmation the last choice counts with its own time, and that there was another is kept", async () => {
  const { made, press, settling, choices } = layOut({ confirm: true });
  press("None");
  assert.equal(settling!.inert, false);
  press("Several");
  assert.deepEqual([...choices.querySelectorAll("button")].map((node) => node.getAttribute("aria-pressed")), ["false", "true"]);
  press("Confirm");
  const decision = await made;
  assert.deepEqual([decision.outcome, decision.corrected, settling!.inert], ["several", true, true]);
  assert.ok(decision.confirmed!.time >= decision.press!.time);
});

test("the same choice again is no correction, one that was taken back is", async () => {
  const again = layOut({ confirm: true });
  ["None", "None", "Confirm"].forEach(again.press);
  assert.equal((await again.made).corrected, false);
  const back = layOut({ confirm: true });
  ["None", "Take back", "None", "Confirm"].forEach(back.press);
  assert.equal((await back.made).corrected, true);
  assert.deepEqual(back.marked, ["none", null, "none"]);
});

test("nothing can be confirmed while nothing is chosen", async () => {
  const { made, press, settling } = layOut({ confirm: true });
  ["None", "Take back", "Confirm"].forEach(press);
  assert.equal(settling!.inert, true);
  ["Several", "Confirm"].forEach(press);
  assert.equal((await made).outcome, "several");
});

test("who is late has chosen nothing, even with a choice that was not confirmed", async () => {
  const { made, press, frames } = layOut({ confirm: true, limit: 100 });
  press("None");
  await frames.run(8);
  assert.deepEqual(await made, { outcome: "timeout", entity: null, press: null, corrected: false, confirmed: null });
});

test("what was pressed before the onset was meant for something else", async () => {
  const { made, press, frames } = layOut({ onset: performance.now() + 1e6, limit: 1 });
  press("None");
  const late = Promise.race([made, Promise.resolve("open")]);
  assert.equal(await late, "open");
  await frames.run(1);
});

test("that time is up is told for a second and a half", async () => {
  const frames = new FakeFrames(16);
  const told: string[] = [];
  let over = false;
  const telling = tellTimeout({ ...plainSurroundings(), frames }, (words) => told.push(words)).then(() => (over = true));
  await frames.run(60);
  assert.equal(over, false);
  assert.deepEqual(told, ["That took too long. The next one follows."]);
  await frames.run(60);
  await telling;
});
