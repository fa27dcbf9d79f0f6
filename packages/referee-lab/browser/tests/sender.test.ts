import assert from "node:assert/strict";
import { test } from "node:test";
import { backOff } from "../src/common/patience.ts";
import { Refusal, Silence } from "../src/common/server.ts";
import type { Saved } from "../src/participant/api.ts";
import { letterOf, PageOutbox } from "../src/participant/outbox.ts";
import type { TrialBody } from "../src/participant/plan.ts";
import { Sender } from "../src/participant/sender.ts";

const body = (index: number): TrialBody => ({ index, attempt: 1, state: "done", answer: {}, times: {}, flags: [], sent_ms: 1 });
const saved: Saved = { saved: true, count: 1, missing: 0 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

// A server that follows a script, and a clock that waits for nobody.
function stage(script: ((body: TrialBody) => Saved)[]) {
  const box = new PageOutbox();
  const seen: [string, TrialBody][] = [];
  const waits: number[] = [];
  const parted: string[] = [];
  const api = {
    save: async (uuid: string, sent: TrialBody): Promise<Saved> => {
      seen.push([uuid, sent]);
      return (script.shift() ?? (() => saved))(sent);
    },
    saveInParting: (uuid: string) => void parted.push(uuid),
  };
  const sender = new Sender(api, box, { random: () => 1, sleep: async (ms) => void waits.push(ms) });
  const post = async (index: number): Promise<{ letter: ReturnType<typeof letterOf>; reply: Promise<Saved | null> }> => {
    const letter = letterOf("P-1", null, body(index));
    await box.end("P-1", letter);
    return { letter, reply: sender.send(letter) };
  };
  return { box, seen, waits, parted, sender, post };
}

const silence = (): Saved => {
  throw new Silence("no network");
};

test("a letter leaves the box on acknowledgement, not before", async () => {
  let answer: () => void = () => undefined;
  const box = new PageOutbox();
  const sender = new Sender({ save: () => new Promise<Saved>((resolve) => (answer = () => resolve(saved))), saveInParting: () => undefined }, box);
  const letter = letterOf("P-1", null, body(1));
  await box.end("P-1", letter);
  const reply = sender.send(letter);
  await turn();
  assert.equal((await box.letters("P-1")).length, 1);
  answer();
  assert.deepEqual(await reply, saved);
  assert.equal((await box.letters("P-1")).length, 0);
});

test("silence is answered by trying again, later each time, with the same body and the same name", async () => {
  const { seen, waits, post } = stage([silence, silence, silence]);
  const { reply } = await post(4);
  await reply;
  assert.equal(seen.length, 4);
  assert.equal(new Set(seen.map(([uuid, sent]) => uuid + JSON.stringify(sent))).size, 1);
  assert.deepEqual(waits, [500, 1000, 2000]);
});

test("waiting never grows beyond half a minute and never stops", () => {
  assert.equal(backOff(50, 1), 30_000);
  assert.equal(backOff(50, 0), 15_000);
});

test("a crowded server says how long to wait", async () => {
  const { waits, post } = stage([() => {
    throw new Refusal(429, "too-many", "", {}, 7);
  }]);
  await (await post(1)).reply;
  assert.deepEqual(waits, [7000]);
});

test("no more than three letters wait: the fourth trial does not begin", async () => {
  const box = new PageOutbox();
  const open: (() => void)[] = [];
  const sender = new Sender({ save: () => new Promise<Saved>((resolve) => open.push(() => resolve(saved))), saveInParting: () => undefined }, box);
  for (const index of [1, 2, 3]) void sender.send(letterOf("P-1", null, body(index)));
  let began = false;
  const room = sender.room(3).then(() => (began = true));
  await turn();
  assert.equal(began, false);
  open.shift()!();
  await room;
  assert.equal(began, true);
});

test("a malformed letter does not hold up the next one, and is remembered", async () => {
  const { sender, post } = stage([() => {
    throw new Refusal(422, "malformed", "answer.entity: no such object");
  }]);
  const [first, second] = [await post(1), await post(2)];
  assert.equal(await first.reply, null);
  assert.deepEqual(await second.reply, saved);
  assert.equal(sender.refused[0]!.letter.body.index, 1);
});

test("another window has taken over: sending stops and the letter stays in the box", async () => {
  const { box, sender, seen, post } = stage([() => {
    throw new Refusal(409, "other-tab", "");
  }]);
  let told = "";
  sender.onFatal = (refusal) => void (told = refusal.problem);
  await post(1);
  await turn();
  await turn();
  assert.equal(told, "other-tab");
  assert.equal(seen.length, 1);
  assert.equal((await box.letters("P-1")).length, 1);
});

test("a wrong number of the attempt is put right and sent again", async () => {
  const { seen, post } = stage([() => {
    throw new Refusal(409, "wrong-attempt", "", { attempt: 3 });
  }]);
  await (await post(1)).reply;
  assert.deepEqual(seen.map(([, sent]) => sent.attempt), [1, 3]);
});

test("a parting page sends what waits, and counts none of it as saved", async () => {
  const box = new PageOutbox();
  const parted: string[] = [];
  const sender = new Sender({ save: () => new Promise<Saved>(() => undefined), saveInParting: (uuid) => void parted.push(uuid) }, box);
  const letter = letterOf("P-1", null, body(1));
  await box.end("P-1", letter);
  void sender.send(letter);
  sender.part();
  assert.deepEqual(parted, [letter.uuid]);
  assert.equal(sender.pending, 1);
  assert.equal((await box.letters("P-1")).length, 1);
});
