import assert from "node:assert/strict";
import { test } from "node:test";
import { calibrate } from "../src/participant/calibration.ts";
import { flip, hold, isLate, median } from "../src/timing/frames.ts";
import { FakeFrames } from "./fake-frames.ts";

test("a change is made inside a frame and counts as seen at the next one", async () => {
  const frames = new FakeFrames(1000 / 60);
  let changedAt = -1;
  const shown = flip(frames, () => (changedAt = frames.now()));
  await frames.run(3);
  const { request, frame, onset } = await shown;
  assert.equal(request, 0);
  assert.equal(changedAt, frame);
  assert.ok(Math.abs(onset - frame - 1000 / 60) < 1e-9);
});

test("an onset is late after more than fifty milliseconds", () => {
  assert.equal(isLate({ request: 0, frame: 17, onset: 50 }), false);
  assert.equal(isLate({ request: 0, frame: 17, onset: 50.1 }), true);
});

for (const hertz of [60, 75, 90, 120, 144]) {
  test(`at ${hertz} Hz a second lasts a second to half a frame, without a timer`, async () => {
    const frames = new FakeFrames(1000 / hertz);
    const ended = hold(frames, 0, 1000, 1000 / hertz);
    await frames.run(hertz + 10);
    assert.ok(Math.abs((await ended) - 1000) <= 500 / hertz + 1e-6);
  });
}

test("the frame interval is measured over sixty frames and one long frame does not move it", async () => {
  const frames = new FakeFrames(1000 / 144);
  frames.delay(30, 200);
  const measured = calibrate(frames);
  await frames.run(80);
  const { frame_ms, frame_longest_ms, frames: n } = await measured;
  assert.equal(n, 60);
  assert.ok(Math.abs(frame_ms - 1000 / 144) < 1e-9);
  assert.ok(frame_longest_ms > 200);
});

test("the median of an even number of values lies between the middle two", () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([3, 1, 2]), 2);
});
