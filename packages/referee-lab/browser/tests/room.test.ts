import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clock } from "../src/common/clock.ts";
import { speaker } from "../src/common/strings.ts";
import { backToRoom } from "../src/participant/agenda.ts";
import { applyChange, type Board, type Change } from "../src/tangram/board.ts";
import { hashOf } from "../src/tangram/board-hash.ts";
import { BoardView } from "../src/tangram/board-view.ts";
import { Call } from "../src/room/call.ts";
import { Chat, type Said } from "../src/room/chat.ts";
import { LiveHand } from "../src/room/hand.ts";
import { LiveTable } from "../src/room/table.ts";
import { Wire, type RoomEvent, type Status } from "../src/room/wire.ts";
import { teller } from "../src/room/words.ts";

const board = (JSON.parse(readFileSync(new URL("./tangram-walk.json", import.meta.url), "utf8")) as { board: Board }).board;

const event = (server_seq: number, kind: string, data: Record<string, unknown>, seq?: number): RoomEvent => ({ server_seq, t_server: 0, seat: 0, kind, data, ...(seq ? { seq } : {}) });
const put = (after: Board, piece: string): Record<string, unknown> => ({ piece, ...after.pieces[piece]! });

// A server at the other end of the wire, as far as the page can tell.
class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 1;
  sent: any[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }
  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}
Object.assign(globalThis, { WebSocket: { OPEN: 1 } });

const status = (seq: number): Status => ({
  room: "r1", seat: 0, phase: "playing", outcome: null, role: "operator", ready: false, partner: [], puzzle: 0, puzzles: 1, swaps: false, next_role: "operator", began_ms: 0, now_ms: 5000, limit_ms: 9, grace_ms: 9, wait_ms: 9, pause_ms: 9, seq, chat: [], solved: 0, board,
});

function wire(): { wire: Wire; events: RoomEvent[]; refusals: string[]; next: () => FakeSocket } {
  FakeSocket.all = [];
  const events: RoomEvent[] = [];
  const refusals: string[] = [];
  const made = new Wire(
    { address: (room) => `ws://x/room/${room}`, hello: () => ({ token: "t" }), open: () => new FakeSocket() as unknown as WebSocket, now: () => 100 },
    { onStatus: () => undefined, onEvents: (some) => void events.push(...some), onConnection: () => undefined, onRefusal: (problem) => void refusals.push(problem) },
  );
  made.start();
  return { wire: made, events, refusals, next: () => FakeSocket.all.at(-1)! };
}

test("what is not acknowledged goes again with the next connection, in order and with its old numbers", () => {
  const { wire: line, next } = wire();
  next().onopen!();
  assert.deepEqual(next().sent[0], { hello: { token: "t", last: -1 } });
  next().say({ ack: 4, status: status(10) });
  line.send("say", { text: "a" });
  line.send("say", { text: "b" });
  line.flush();
  next().say({ ack: 5 });
  next().close();
  line.send("say", { text: "c" });
  line.flush();
  line.hurry();
  next().onopen!();
  assert.equal(next().sent[0].hello.last, 10);
  next().say({ ack: 5, status: status(11) });
  const again = next().sent.find((message) => Array.isArray(message)) as { seq: number; data: { text: string } }[];
  assert.deepEqual(again.map(({ seq, data }) => [seq, data.text]), [[6, "b"], [7, "c"]]);
  line.stop();
});

test("a connection that has gone silent is left behind at once, and what was open goes over the next one", (context) => {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  let time = 0;
  FakeSocket.all = [];
  const told: boolean[] = [];
  const line = new Wire(
    { address: () => "ws://x", hello: () => ({}), open: () => new FakeSocket() as unknown as WebSocket, now: () => time },
    { onStatus: () => undefined, onEvents: () => undefined, onConnection: (on) => void told.push(on), onRefusal: () => undefined },
  );
  line.start();
  const [silent] = FakeSocket.all as [FakeSocket];
  silent.close = () => void (silent.readyState = 2); // closing, and nobody at the other end
  silent.onopen!();
  silent.say({ ack: 0, status: status(1) });
  line.send("say", { text: "a" });
  line.flush();
  time = 20_000;
  context.mock.timers.tick(5000);
  assert.deepEqual(told, [true, false]);
  context.mock.timers.tick(1000);
  const next = FakeSocket.all.at(-1)!;
  assert.notEqual(next, silent);
  next.onopen!();
  next.say({ ack: 0, status: status(1) });
  assert.equal(next.sent.flat().find((message) => message.kind === "say").data.text, "a");
  line.stop();
});

test("cursor and drag wait for company and for a packet that is under way; a grip does not wait, and no point is lost", () => {
  let time = 100;
  FakeSocket.all = [];
  const line = new Wire(
    { address: () => "ws://x", hello: () => ({}), open: () => new FakeSocket() as unknown as WebSocket, now: () => time },
    { onStatus: () => undefined, onEvents: () => undefined, onConnection: () => undefined, onRefusal: () => undefined },
  );
  line.start();
  const socket = FakeSocket.all[0]!;
  const packets = (): any[][] => socket.sent.filter(Array.isArray);
  const frame = (x: number): void => {
    time += 1000 / 60;
    line.point([[time, x, 0]]);
    line.flush();
  };
  socket.onopen!();
  socket.say({ ack: 0, status: status(1) });
  socket.say({ pong: 100, t_server: 5000 }); // a round trip of no time: room for one packet
  assert.deepEqual(packets().map((packet) => packet[0].kind), ["clock"]);
  frame(1);
  assert.equal(packets().length, 1, "a frame after the last packet is too soon");
  socket.say({ ack: 1 });
  frame(2);
  assert.deepEqual(packets()[1]!.map(({ seq, kind, data }) => [seq, kind, data.points]), [[2, "cursor", [[-16.67, 1, 0], [0, 2, 0]]]]);
  line.send("move", { piece: "1", x: 3, y: 0 });
  [3, 4, 5].forEach(frame);
  assert.equal(packets().length, 2, "the packet before is under way");
  line.send("grab", { piece: "1" });
  line.flush();
  assert.deepEqual(packets()[2]!.map(({ seq, kind }) => [seq, kind]), [[3, "move"], [4, "grab"], [5, "cursor"]]);
  assert.deepEqual(packets()[2]![2].data.points.map((point: number[]) => point[1]), [3, 4, 5]);
  assert.equal(line.pending, 4);
  [6, 7, 8].forEach(frame);
  socket.say({ ack: 5 });
  line.flush();
  assert.deepEqual(packets()[3]![0].data.points.map((point: number[]) => point[1]), [6, 7, 8]);
  line.stop();
});

test("an event that comes twice is taken once, and a killed server's lower numbers count again", () => {
  const { wire: line, events, next } = wire();
  next().onopen!();
  next().say({ ack: 0, status: status(10) });
  const one = event(11, "say", { text: "x" });
  next().say({ events: [one] });
  next().say({ events: [one, event(12, "say", { text: "y" })] });
  assert.deepEqual(events.map((said) => said.server_seq), [11, 12]);
  next().close();
  line.hurry();
  next().onopen!();
  next().say({ ack: 0, status: status(8) });
  next().say({ events: [event(9, "say", { text: "z" })] });
  assert.deepEqual(events.map((said) => said.server_seq), [11, 12, 9]);
  line.stop();
});

test("the quickest ping sets the clock and every ping is logged", () => {
  const { wire: line, next } = wire();
  next().onopen!();
  next().say({ ack: 0, status: status(1) });
  next().say({ pong: 90, t_server: 7000 });
  assert.equal(line.serverNow(), 100 + 7000 - 95);
  const logged = next().sent.flat().find((message) => message.kind === "clock");
  assert.deepEqual(logged.data, { sent_ms: 90, received_ms: 100, server_ms: 7000 });
  line.stop();
});

test("a refusal that nothing can mend is handed on, any other is tried again", () => {
  const { wire: line, refusals, next } = wire();
  next().onopen!();
  next().say({ problem: "gap", message: "" });
  assert.deepEqual(refusals, []);
  next().say({ problem: "other-tab", message: "" });
  assert.deepEqual(refusals, ["other-tab"]);
  line.stop();
});

test("one's own moves are seen at once and give way to what the server made of them", () => {
  const table = new LiveTable(board);
  table.do(1, { kind: "move", piece: "3", x: 500, y: 300 });
  table.do(2, { kind: "release", piece: "3" });
  assert.equal(table.board.pieces["3"]!.x, 500);
  assert.equal(hashOf(table.agreed), hashOf(board));
  const moved = applyChange(board, { kind: "move", piece: "3", x: 500, y: 300 });
  assert.equal(table.take(event(1, "move", put(moved, "3"), 1)), true);
  assert.equal(table.isSettled, false);
  const snapped = applyChange(moved, { kind: "release", piece: "3", x: 507 });
  table.take(event(2, "release", put(snapped, "3"), 2));
  assert.equal(table.isSettled, true);
  assert.equal(table.board.pieces["3"]!.x, 507, "the server drew it to its neighbour");
  assert.equal(table.take(event(3, "snapshot", { hash: hashOf(snapped) })), true);
  assert.equal(table.take(event(4, "snapshot", { hash: hashOf(board) })), false);
});

test("after an interruption only changes that the server lacks lie on its board", () => {
  const table = new LiveTable(board);
  table.do(1, { kind: "move", piece: "3", x: 500 });
  table.do(2, { kind: "move", piece: "4", x: 200 });
  const theirs = applyChange(board, { kind: "move", piece: "3", x: 500 });
  table.reset(theirs, (seq) => seq === 2);
  assert.equal(table.board.pieces["4"]!.x, 200);
  assert.equal(table.agreed.pieces["4"]!.x, board.pieces["4"]!.x);
});

function handOn(start: Board): { hand: LiveHand; acts: Change[]; view: BoardView; press: (key: string, more?: object) => void; now: () => Board } {
  const view = new BoardView(start.area, { label: "board" });
  document.body.append(view.svg);
  let current = start;
  const acts: Change[] = [];
  const act = (change: Change): void => {
    acts.push(change);
    current = applyChange(current, change);
  };
  const hand = new LiveHand({ view, board: () => current, act, move: () => undefined, select: () => undefined });
  const press = (key: string, more = {}): void => void document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  return { hand, acts, view, press, now: () => current };
}

test("a piece is chosen, moved, turned and flipped by keys alone, and let go when they rest", () => {
  const { hand, acts, press, now } = handOn(board);
  press("7");
  press("ArrowRight");
  press("ArrowRight", { shiftKey: true });
  document.dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowRight" }));
  press("r");
  press("R", { shiftKey: true });
  press("f");
  assert.deepEqual(acts.map(({ kind }) => kind), ["move", "move", "release", "rotate", "rotate", "flip"]);
  const [was, is] = [board.pieces["7"]!, now().pieces["7"]!];
  assert.ok(Math.abs(is.x - Math.min(1200, was.x + 11)) < 0.011);
  assert.equal(is.rotation, was.rotation);
  assert.equal(is.flipped, !was.flipped);
  hand.stop();
});

test("keys that are meant for a message move nothing", () => {
  const { hand, acts } = handOn(board);
  hand.choose("1");
  const field = document.body.appendChild(document.createElement("input"));
  for (const key of ["r", "f", "ArrowLeft"]) field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  assert.deepEqual(acts, []);
  hand.stop();
});

test("R and F turn and flip a piece that is held, whatever has the focus", () => {
  const { hand, acts, view } = handOn(board);
  const { x, y } = board.pieces["7"]!;
  view.locate = () => ({ point: [x, y], unitsPerPixel: 1 });
  const down = Object.assign(new Event("pointerdown", { bubbles: true, cancelable: true }), { pointerId: 1, pointerType: "mouse", button: 0, clientX: 0, clientY: 0 });
  view.svg.dispatchEvent(down);
  const field = document.body.appendChild(document.createElement("input"));
  for (const key of ["r", "f", "ArrowLeft", "x"]) field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  assert.deepEqual(acts.map(({ kind }) => kind), ["grab", "rotate", "flip"]);
  hand.stop();
});

test("the number of a piece lies above all pieces and the cursor", () => {
  const view = new BoardView(board.area, { label: "board", numbers: true });
  view.show(board);
  const numbers = view.svg.querySelector(".board-numbers")!;
  assert.equal(view.svg.lastElementChild, numbers);
  assert.equal(numbers.children.length, 7);
  assert.equal(numbers.children[0]!.getAttribute("transform"), `translate(${board.pieces["1"]!.x} ${board.pieces["1"]!.y})`);
});

test("a message carries when its typing began and ended and how many keys it took", () => {
  const said: Said[] = [];
  const typing: boolean[] = [];
  const chat = new Chat(teller(speaker()), (message) => void said.push(message), (is) => void typing.push(is));
  document.body.append(chat.panel);
  const field = chat.panel.querySelector("input")!;
  for (const text of ["a", "ab", "abc"]) {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
  chat.panel.querySelector("form")!.dispatchEvent(new Event("submit", { cancelable: true }));
  assert.equal(said[0]!.text, "abc");
  assert.equal(said[0]!.keystrokes, 3);
  assert.ok(said[0]!.typing_start_ms <= said[0]!.typing_end_ms);
  assert.deepEqual(typing, [true]);
  assert.equal(field.value, "");
});

test("a hostile message stays a message", () => {
  const chat = new Chat(teller(speaker()), () => undefined, () => undefined);
  chat.add(false, "<img src=x onerror=alert(1)>", null);
  assert.equal(chat.panel.querySelector("img"), null);
  assert.match(chat.panel.textContent, /onerror/);
});

test("who comes back to a room goes there at once, past the pages before it", () => {
  const step = (index: number, plugin: string) => ({ index, kind: plugin === "page" ? "page" : "trial", plugin, saved: plugin !== "page", parameters: {} });
  const agenda = { steps: [step(0, "page"), step(1, "page"), step(2, "tangram"), step(3, "form")], attempts: new Map(), told: new Map() };
  assert.deepEqual(backToRoom(agenda, { session: "P", uuid: "u", index: 2, attempt: 1 }).steps.map(({ index }) => index), [2, 3]);
  assert.equal(backToRoom(agenda, null).steps.length, 4);
});

test("clocks count minutes and seconds and never below zero", () => {
  assert.deepEqual([clock(0), clock(65_400), clock(900_000), clock(-3)], ["0:00", "1:05", "15:00", "0:00"]);
});

test("a configured TURN server reaches the browser's connection", () => {
  const told: RTCConfiguration[] = [];
  class FakePeer {
    constructor(configuration: RTCConfiguration) {
      told.push(configuration);
    }
    close(): void {}
  }
  Object.assign(globalThis, { RTCPeerConnection: FakePeer });
  const servers = [{ urls: "turn:turn.example.org:3478", username: "ann", credential: "secret" }];
  new Call({ servers, polite: true, signal: () => undefined, measured: () => undefined, play: () => undefined }).stop();
  assert.deepEqual(told, [{ iceServers: servers }]);
});

test("what somebody else's hand did not allow is taken back", () => {
  const table = new LiveTable(board);
  table.do(1, { kind: "move", piece: "1", x: 600, y: 400 });
  assert.notEqual(table.board.pieces["1"]!.x, board.pieces["1"]!.x);
  table.take(event(1, "late", { kind: "move" }, 1));
  assert.deepEqual(table.board, board);
  assert.equal(table.isSettled, true);
});
