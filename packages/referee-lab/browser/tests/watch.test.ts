import assert from "node:assert/strict";
import { test } from "node:test";
import { INTERRUPTION, Watch } from "../src/timing/watch.ts";
import { FakeFrames } from "./fake-frames.ts";

test("a quiet trial has no flags", async () => {
  const frames = new FakeFrames(16);
  const watch = new Watch(frames);
  await frames.run(20);
  assert.deepEqual(watch.stop(), []);
});

test("a frame of more than fifty milliseconds is flagged", async () => {
  const frames = new FakeFrames(16);
  frames.delay(5, 40);
  const watch = new Watch(frames);
  await frames.run(10);
  assert.deepEqual(watch.stop(), ["long-frame"]);
});

test("the deadline falls on the first frame after its time, and only once", async () => {
  const frames = new FakeFrames(16);
  const watch = new Watch(frames);
  const seen: number[] = [];
  watch.setDeadline(100, () => seen.push(frames.now()));
  await frames.run(20);
  watch.stop();
  assert.deepEqual(seen, [112]);
});

test("a hidden page, a lost focus and a question in between are flagged; what comes after the end is not", () => {
  const watch = new Watch(new FakeFrames(16));
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
  document.dispatchEvent(new Event(INTERRUPTION));
  assert.deepEqual(watch.stop(), ["blur", "hidden"]);
  const later = new Watch(new FakeFrames(16));
  later.stop();
  window.dispatchEvent(new Event("blur"));
  assert.deepEqual(later.stop(), []);
});

test("a change of the pixel ratio is a zoom", () => {
  const before = window.devicePixelRatio;
  const watch = new Watch(new FakeFrames(16));
  Object.defineProperty(window, "devicePixelRatio", { value: before * 1.25, configurable: true });
  window.dispatchEvent(new Event("resize"));
  Object.defineProperty(window, "devicePixelRatio", { value: before, configurable: true });
  assert.deepEqual(watch.stop(), ["zoom"]);
});
