// The wire to a room: every message is numbered and kept until it is acknowledged; after an interruption whatever is open goes again, in order.

import type { Board } from "../tangram/board.ts";

export interface RoomEvent {
  server_seq: number;
  t_server: number;
  seat: number; // −1 is the server
  kind: string;
  data: Record<string, unknown>;
  seq?: number; // my own number, where it was mine
}

export interface Status {
  room: string;
  seat: number;
  phase: "waiting" | "playing" | "between" | "over";
  outcome: string | null;
  role: "" | "operator" | "solver" | "solo" | "speaker" | "listener";
  ready: boolean;
  partner: ({ present: boolean; bot: boolean; ready: boolean } & Partial<GroupMember>)[];
  next_role: string; // in the puzzle that comes next
  puzzle: number;
  puzzles: number;
  swaps: boolean;
  began_ms: number;
  now_ms: number;
  limit_ms: number;
  grace_ms: number;
  wait_ms: number;
  pause_ms: number;
  ice?: RTCIceServer[]; // where the room has sound
  seq: number;
  chat: { seat: number; text: string; t_server: number }[];
  solved: number;
  board?: Board;
  held?: string | null;
  nearly?: boolean;
  result?: string | null;
  goal?: string;
  hint?: { piece: string; x: number; y: number; rotation: number; flipped: boolean } | null;
  places?: number; // in a reference game, as is what follows
  game?: ChoiceRound;
}

// Somebody in a reference game.
export interface GroupMember {
  seat: number;
  present: boolean;
  bot: boolean;
  ready: boolean;
  gone: boolean;
  role: string;
  chosen: boolean;
}

// A round of a reference game as one person sees it.
export interface ChoiceRound {
  order: string[];
  repetition: number;
  repetitions: number;
  spoken: boolean;
  chosen: string | null;
  target: string | null;
  feedback: { ended: string | null; target: string | null; choices: { seat: number; object: string | null; right: boolean | null }[] } | null;
}

interface Message {
  seq: number;
  t_client: number;
  kind: string;
  data: Record<string, unknown>;
}

// One thing that the server says: a refusal, the answer to a ping, or events with what it has of mine and how things stand.
interface Said {
  problem?: string;
  pong?: number;
  t_server?: number; // with a pong
  events?: RoomEvent[];
  ack?: number;
  status?: Status;
  signal?: Record<string, unknown>; // from another page, for the call between the two
}

export type CursorPoint = [time: number, x: number, y: number];

export interface Listener {
  onStatus(status: Status, first: boolean): void; // first: of a connection, so that its board counts
  onEvents(events: RoomEvent[]): void;
  onConnection(connected: boolean): void;
  onRefusal(problem: string): void;
  onSignal?(signal: Record<string, unknown>): void;
}

export interface WireSettings {
  address: (room: string) => string;
  hello: () => Record<string, unknown>;
  open?: (address: string) => WebSocket;
  now?: () => number;
}

const PING_MS = 4000;
const SILENCE_MS = 12000;
const PACKET_MS = 25; // so at 60 frames a second every other one
const MOST_POINTS = 200; // in one message
// Problems that no further attempt can solve; the study's own page knows what to say about them.
const FINAL = new Set(["other-tab", "other-connection", "ended", "withdrawn", "no-token", "expired", "consent-first", "consent-again", "no-such-step", "no-study"]);

export class Wire {
  last = -1;
  private room = "any";
  private seq: number | null = null;
  private open: Message[] = [];
  private fresh: Message[] = [];
  private points: CursorPoint[] = [];
  private packed = -Infinity; // when the last packet went
  private underWay: number[] = []; // the last number of each packet that is not acknowledged
  private socket: WebSocket | null = null;
  private greeted = false;
  private failures = 0;
  private heard = 0;
  private stopped = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pinging: ReturnType<typeof setInterval> | undefined;
  private offset = 0;
  private bestTrip = Infinity;

  constructor(private readonly settings: WireSettings, private readonly listener: Listener) {}

  private now = (): number => (this.settings.now ?? (() => performance.now()))();

  start(): void {
    this.connect();
    this.pinging = setInterval(() => this.ping(), PING_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    clearInterval(this.pinging);
    this.socket?.close();
  }

  // The server's clock now, as well as it is known.
  serverNow(): number {
    return this.now() + this.offset;
  }

  get pending(): number {
    return this.open.length + this.fresh.length + Math.sign(this.points.length);
  }

  // Queues a message for the next flush and says its number; before the first greeting there are no numbers, and nothing to say.
  send(kind: string, data: Record<string, unknown>, t_client = this.now()): number {
    if (this.seq === null) return 0;
    const message = { seq: ++this.seq, t_client, kind, data };
    this.fresh.push(message);
    return message.seq;
  }

  // Where the pointer was, and when; all points of a packet are one message.
  point(points: CursorPoint[]): void {
    if (this.seq !== null) this.points.push(...points);
  }

  quit(): void {
    if (this.greeted) this.socket?.send(JSON.stringify({ kind: "quit" }));
  }

  // To the partner's page, and into no log; lost with the connection, as calls are.
  signal(signal: object): void {
    if (this.greeted && this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ signal }));
  }

  // Numbers that were sent and are not acknowledged.
  isOpen(seq: number): boolean {
    return this.fresh.some((message) => message.seq === seq) || this.open.some((message) => message.seq === seq);
  }

  // Something does not fit: begin again from what the server has.
  resync(): void {
    this.socket?.close();
  }

  // Once a frame: everything that came up in it is one packet. Cursor and drag alone wait for company, and longer while as many packets are under way as the
  // quickest round trip has room for: a busy server gets fewer packets with the same points.
  flush(): void {
    const patient = this.points.length < MOST_POINTS && this.fresh.every((message) => message.kind === "move");
    if (patient && (this.now() - this.packed < PACKET_MS || this.underWay.length > this.bestTrip / PACKET_MS)) return;
    this.packPoints();
    if (this.fresh.length === 0) return;
    const batch = this.fresh;
    this.open.push(...batch);
    this.fresh = [];
    if (!this.greeted || this.socket?.readyState !== WebSocket.OPEN) return;
    this.packed = this.now();
    this.underWay.push(batch.at(-1)!.seq);
    this.socket.send(JSON.stringify(batch));
  }

  private packPoints(): void {
    const latest = this.points.at(-1)?.[0];
    if (latest === undefined) return;
    this.send("cursor", { points: this.points.map(([time, x, y]) => [Math.min(0, round(time - latest)), round(x), round(y)]) }, latest);
    this.points = [];
  }

  hurry(): void {
    if (this.socket || this.stopped) return;
    clearTimeout(this.timer);
    this.connect();
  }

  private connect(): void {
    const socket = (this.settings.open ?? ((address) => new WebSocket(address)))(this.settings.address(this.room));
    this.socket = socket;
    this.greeted = false;
    socket.onopen = () => {
      this.heard = this.now();
      socket.send(JSON.stringify({ hello: { ...this.settings.hello(), last: this.last } }));
    };
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(String(event.data)) as Said);
    };
    socket.onclose = () => {
      if (socket === this.socket) this.lost();
    };
  }

  private lost(): void {
    this.socket = null;
    this.underWay = [];
    this.greeted = false;
    if (this.stopped) return;
    this.listener.onConnection(false);
    const pause = Math.min(5000, 150 * 2 ** this.failures++) * (0.7 + 0.6 * Math.random());
    this.timer = setTimeout(() => this.connect(), pause);
  }

  // Nobody answers: closing would wait for the other side as well, for a minute in some browsers.
  private abandon(): void {
    const { socket } = this;
    this.lost();
    socket?.close();
  }

  private take(said: Said): void {
    this.heard = this.now();
    if (said.problem) return this.refused(said.problem);
    if (said.signal) return this.listener.onSignal?.(said.signal);
    if (said.pong !== undefined) return this.takePong(said.pong, said.t_server ?? 0);
    const events = (said.events ?? []).filter((event) => event.server_seq > this.last);
    if (events.length) {
      this.last = events.at(-1)!.server_seq;
      this.listener.onEvents(events);
    }
    if (said.ack !== undefined) this.acknowledge(said.ack);
    if (said.status) this.greet(said.status, said.ack ?? 0);
  }

  private acknowledge(ack: number): void {
    if (!this.open.length || this.open[0]!.seq > ack) return;
    this.open = this.open.filter((message) => message.seq > ack);
    this.underWay = this.underWay.filter((seq) => seq > ack);
  }

  private greet(status: Status, ack: number): void {
    const first = !this.greeted;
    this.greeted = true;
    this.room = status.room;
    if (first) this.last = status.seq; // also when it is less than before: a server that was killed knows only what it had stored
    this.seq ??= ack;
    if (this.bestTrip === Infinity) this.offset = status.now_ms - this.now();
    this.listener.onStatus(status, first);
    if (!first) return;
    this.failures = 0;
    this.listener.onConnection(true);
    this.bestTrip = Infinity;
    this.ping();
    for (let from = 0; from < this.open.length; from += 200) this.socket!.send(JSON.stringify(this.open.slice(from, from + 200)));
  }

  private refused(problem: string): void {
    if (!FINAL.has(problem)) return; // the server closes, and the next connection sends again what it lacks
    this.stop();
    this.listener.onRefusal(problem);
  }

  private ping(): void {
    if (!this.greeted || this.socket?.readyState !== WebSocket.OPEN) return;
    if (this.now() - this.heard > SILENCE_MS) return this.abandon();
    this.socket.send(JSON.stringify({ ping: this.now() }));
  }

  // The quickest ping of a connection tells best how far the clocks are apart; all of them are stored as they were.
  private takePong(sent_ms: number, server_ms: number): void {
    const received_ms = this.now();
    if (received_ms - sent_ms < this.bestTrip) {
      this.bestTrip = received_ms - sent_ms;
      this.offset = server_ms - (sent_ms + received_ms) / 2;
    }
    this.send("clock", { sent_ms, received_ms, server_ms });
    this.flush();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
