import assert from "node:assert/strict";
import { test } from "node:test";
import { speaker } from "../src/common/strings.ts";
import { Choosing } from "../src/room/choosing.ts";
import { columnsFor } from "../src/room/picture-grid.ts";
import type { ChoiceRound, Status } from "../src/room/wire.ts";
import { teller } from "../src/room/words.ts";

// A server at the other end of the wire, as far as the page can tell.
class FakeSocket {
  readyState = 1;
  sent: any[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3;
  }
  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}
Object.assign(globalThis, { WebSocket: { OPEN: 1 } });

const round: ChoiceRound = { order: ["e2", "e1", "e3"], repetition: 1, repetitions: 2, spoken: false, chosen: null, target: null, feedback: null };
const others = [
  { seat: 1, present: true, bot: false, ready: false, gone: false, role: "speaker", chosen: false },
  { seat: 2, present: true, bot: false, ready: false, gone: false, role: "listener", chosen: false },
];
const status = (changes: Partial<Status> = {}, game: Partial<ChoiceRound> = {}): Status => ({
  room: "r", seat: 0, phase: "playing", outcome: null, role: "listener", ready: false, partner: others, puzzle: 0, puzzles: 6, swaps: false, next_role: "", began_ms: 0, now_ms: 1000,
  limit_ms: 180_000, grace_ms: 45_000, wait_ms: 600_000, pause_ms: 10_000, seq: 3, chat: [], solved: 0, places: 3, game: { ...round, ...game }, ...changes,
});

function open(first: Status): { root: HTMLElement; socket: FakeSocket; game: Choosing; press: (id: string) => void; chosen: () => any[]; note: () => string } {
  const socket = new FakeSocket();
  const root = document.createElement("div");
  const pictures = ["e1", "e2", "e3"].map((id) => ({ id, picture: `${id}.svg` }));
  const game = new Choosing({
    root, pictures, tell: teller(speaker()), finish: () => undefined, reload: () => undefined,
    wire: { address: () => "ws://x", hello: () => ({}), open: () => socket as unknown as WebSocket, now: () => 100 },
  });
  socket.onopen!();
  socket.say({ ack: 0, status: first });
  return {
    root, socket, game,
    press: (id) => root.querySelector<HTMLButtonElement>(`[data-object=${id}]`)!.click(),
    chosen: () => socket.sent.flat().filter((message) => message.kind === "choose").map((message) => message.data),
    note: () => root.querySelector(".choice-note")!.textContent,
  };
}

test("a listener waits for the speaker's first words, chooses once, and is told that it is made", () => {
  const { root, socket, game, press, chosen, note } = open(status());
  assert.match(note(), /Wait until player 2/);
  press("e3");
  assert.deepEqual(chosen(), []);
  const said = (seat: number, server_seq: number) => socket.say({ events: [{ server_seq, t_server: 0, seat, kind: "say", data: { text: "hm" } }] });
  said(2, 4);
  assert.match(note(), /Wait until player 2/, "another listener's question opens nothing");
  said(1, 5);
  assert.match(note(), /Which picture does player 2 mean/);
  press("e3");
  press("e1");
  assert.deepEqual(chosen(), [{ object: "e3", round: 0 }]);
  assert.match(note(), /choice is made/);
  assert.equal(root.querySelector(".choice.chosen")!.getAttribute("data-object"), "e3");
  game.stop();
});

test("each sees their own order, and nothing on a listener's page tells what is meant before the end", () => {
  const { root, game } = open(status({}, { spoken: true }));
  assert.deepEqual([...root.querySelectorAll(".choice")].map((cell) => cell.getAttribute("data-object")), ["e2", "e1", "e3"]);
  assert.equal(root.querySelector(".target"), null);
  assert.deepEqual([...root.querySelectorAll(".choice")].map((cell) => cell.getAttribute("aria-label")), ["Picture 1", "Picture 2", "Picture 3"]);
  game.stop();
});

test("a speaker sees what is meant, presses nothing, and learns how many have chosen", () => {
  const listening = others.map((other) => ({ ...other, role: "listener", chosen: other.seat === 2 }));
  const { root, game, press, chosen, note } = open(status({ role: "speaker", partner: listening }, { target: "e1", spoken: true }));
  assert.equal(root.querySelector(".target")!.getAttribute("data-object"), "e1");
  assert.equal(root.querySelector(".target")!.getAttribute("aria-label"), "Picture 2, marked");
  press("e1");
  assert.deepEqual(chosen(), []);
  assert.match(note(), /1 of 2 have chosen/);
  game.stop();
});

test("a choice that came too late is taken back, and what the server knows is shown after a reload", () => {
  const { root, socket, game, press } = open(status({}, { spoken: true }));
  press("e3");
  socket.say({ status: status({ puzzle: 1 }) });
  assert.equal(root.querySelector(".choice.chosen"), null);
  game.stop();
  const again = open(status({}, { spoken: true, chosen: "e1" }));
  assert.equal(again.root.querySelector(".choice.chosen")!.getAttribute("data-object"), "e1");
  again.press("e2");
  assert.deepEqual(again.chosen(), []);
  again.game.stop();
});

test("after a round everybody sees what was meant and who chose what, and the chat begins anew with the next", () => {
  const { root, socket, game, note } = open(status({ chat: [{ seat: 1, text: "the tall one", t_server: 0 }] }, { spoken: true }));
  const choices = [{ seat: 0, object: "e3", right: false }, { seat: 2, object: "e1", right: true }];
  socket.say({ status: status({ phase: "between" }, { chosen: "e3", spoken: true, feedback: { ended: "chosen", target: "e1", choices } }) });
  assert.match(note(), /not the one/);
  assert.equal(root.querySelector(".target")!.getAttribute("data-object"), "e1");
  assert.equal(root.querySelector(".wrong")!.textContent, "You");
  assert.equal(root.querySelector(".target")!.textContent, "3");
  root.querySelector<HTMLButtonElement>(".choice-next button")!.click();
  assert.equal(socket.sent.flat().at(-1).kind, "ready");
  assert.match(root.querySelector(".chat-list")!.textContent, /the tall one/);
  socket.say({ status: status({ puzzle: 1 }) });
  assert.doesNotMatch(root.querySelector(".chat-list")!.textContent, /the tall one/);
  game.stop();
});

test("where listeners are told little, nothing shows what was meant", () => {
  const own = [{ seat: 0, object: "e3", right: false }];
  const { root, game } = open(status({ phase: "between" }, { chosen: "e3", spoken: true, feedback: { ended: "chosen", target: null, choices: own } }));
  assert.equal(root.querySelector(".target"), null);
  assert.equal(root.querySelector(".wrong")!.getAttribute("data-object"), "e3");
  game.stop();
});

test("who has left is shown as such, and a round without its speaker counts for nobody", () => {
  const left = others.map((other) => (other.seat === 1 ? { ...other, gone: true, present: false } : other));
  const { root, game, note } = open(status({ phase: "between", partner: left }, { feedback: { ended: "speaker-left", target: null, choices: [] } }));
  assert.match(note(), /does not count/);
  assert.match(root.querySelector(".choice-player.gone")!.textContent, /Player 2.*left/);
  assert.equal(root.querySelector<HTMLElement>(".room-banner")!.hidden, true, "who has left is not waited for");
  game.stop();
});

test("pictures stand in rows with few empty places, a little wider than high", () => {
  assert.deepEqual([2, 3, 4, 6, 7, 9, 12, 20].map(columnsFor), [2, 3, 2, 3, 4, 3, 4, 5]);
});
