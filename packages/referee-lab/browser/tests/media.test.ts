import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { bytesOf, STALL_MS } from "../src/plugins/parts/media.ts";

const real = globalThis.fetch;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  globalThis.fetch = real;
  mock.timers.reset();
});

test("a recording of which nothing comes for a while has failed, and is asked for no longer", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let given: AbortSignal | null = null;
  globalThis.fetch = (_, init) => new Promise((_resolve, reject) => {
    given = init!.signal!;
    given.addEventListener("abort", () => reject(given!.reason as Error));
  });
  const failed = assert.rejects(bytesOf("/s/demo/media/a.wav"), /nothing came/);
  mock.timers.tick(STALL_MS - 1);
  assert.equal(given!.aborted, false);
  mock.timers.tick(1);
  await failed;
  assert.equal(given!.aborted, true);
});

test("one that comes slowly is waited for, and is whole", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let pour: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => { pour = controller; } });
  globalThis.fetch = () => Promise.resolve(new Response(body, { headers: { "content-type": "audio/wav" } }));
  const loaded = bytesOf("/s/demo/media/a.wav");
  for (const part of ["one ", "two ", "three"]) {
    await turn();
    mock.timers.tick(STALL_MS - 1);
    pour!.enqueue(new TextEncoder().encode(part));
    await turn();
  }
  pour!.close();
  const whole = await loaded;
  assert.deepEqual([await whole.text(), whole.type], ["one two three", "audio/wav"]);
});

test("one that the server does not have has failed", async () => {
  globalThis.fetch = () => Promise.resolve(new Response("", { status: 404 }));
  await assert.rejects(bytesOf("/s/demo/media/a.wav"), /404/);
});
