import assert from "node:assert/strict";
import { test } from "node:test";
import { letterOf, openOutbox, PageOutbox, type Outbox } from "../src/participant/outbox.ts";
import type { TrialBody } from "../src/participant/plan.ts";

const body = (index: number): TrialBody => ({ index, attempt: 1, state: "done", answer: { entity: "e1" }, times: { t_onset: 1.25 }, flags: [], sent_ms: 1 });

for (const [name, open] of [["database", () => openOutbox(`study-${Math.random()}`)], ["page", async () => new PageOutbox()]] as [string, () => Promise<Outbox>][]) {
  test(`${name}: letters come out in the order in which they went in, and leave only when acknowledged`, async () => {
    const box = await open();
    const letters = [7, 3, 5].map((index) => letterOf("P-1", null, body(index)));
    for (const letter of letters) await box.end("P-1", letter);
    assert.deepEqual((await box.letters("P-1")).map((letter) => letter.body.index), [7, 3, 5]);
    await box.acknowledge(letters[1]!.uuid);
    assert.deepEqual((await box.letters("P-1")).map((letter) => letter.body.index), [7, 5]);
    assert.deepEqual(await box.letters("P-2"), []);
  });

  test(`${name}: a trial is under way until its answer lies in the box`, async () => {
    const box = await open();
    await box.begin({ session: "P-1", uuid: "u", index: 4, attempt: 2 });
    assert.deepEqual(await box.underway("P-1"), { session: "P-1", uuid: "u", index: 4, attempt: 2 });
    await box.end("P-1", letterOf("P-1", "u", body(4)));
    assert.equal(await box.underway("P-1"), null);
    assert.equal((await box.letters("P-1"))[0]!.uuid, "u");
  });
}

test("a new page finds what the page before it left", async () => {
  const before = await openOutbox("left");
  await before.end("P-1", letterOf("P-1", null, body(9)));
  await before.begin({ session: "P-1", uuid: "v", index: 10, attempt: 1 });
  const after = await openOutbox("left");
  assert.equal((await after.letters("P-1"))[0]!.body.index, 9);
  assert.equal((await after.underway("P-1"))!.index, 10);
});
