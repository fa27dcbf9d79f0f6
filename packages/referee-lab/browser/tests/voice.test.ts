import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Voice, type SoundPiece } from "../src/room/voice.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// As the browser's: a last piece comes when it is stopped.
class FakeRecorder {
  state = "inactive";
  ondataavailable: (event: { data: Blob }) => void = () => undefined;

  start(): void {
    this.state = "recording";
  }

  stop(): void {
    this.state = "inactive";
    setImmediate(() => this.ondataavailable({ data: new Blob(["sound"]) }));
  }
}

const names = globalThis as unknown as Record<string, unknown>;
const before = names.MediaRecorder;
afterEach(() => {
  names.MediaRecorder = before;
});

async function open(pieces: SoundPiece[]): Promise<Voice> {
  names.MediaRecorder = FakeRecorder;
  const stream = { getTracks: () => [] } as unknown as MediaStream;
  const navigator = { mediaDevices: { getUserMedia: () => Promise.resolve(stream) } };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  const voice = new Voice({ put: (piece) => Promise.resolve(pieces.push(piece) > 0), first: 7 });
  assert.equal(await voice.open(), true);
  return voice;
}

test("every puzzle is a recording of its own", async () => {
  const pieces: SoundPiece[] = [];
  const voice = await open(pieces);
  for (const puzzle of [0, 0, 1, 2]) {
    voice.record(puzzle); // told twice of the first one, as after a lost connection
    await turn();
  }
  voice.stop();
  await turn();
  await turn();
  assert.deepEqual(pieces.map(({ puzzle, chunk, part }) => [puzzle, chunk, part]), [[0, 7, 7], [1, 8, 8], [2, 9, 9]]);
});

test("nothing is recorded before the first puzzle and between two", async () => {
  const pieces: SoundPiece[] = [];
  const voice = await open(pieces);
  voice.pause();
  voice.record(0);
  voice.pause();
  await turn();
  assert.equal(pieces.length, 1);
  voice.pause();
  voice.stop();
  await turn();
  assert.equal(pieces.length, 1);
});
