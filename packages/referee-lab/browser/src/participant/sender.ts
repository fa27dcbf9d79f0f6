// Brings letters to the server, one after the other, again and again until each is acknowledged; only then it leaves the box.

import { isBusy, isCrowded, pageWaiting, pauseAfter, type Waiting } from "../common/patience.ts";
import { Refusal } from "../common/server.ts";
import type { Api, Saved } from "./api.ts";
import type { Letter, Outbox } from "./outbox.ts";

export interface SenderState {
  pending: number;
  failing: boolean;
  crowded: boolean; // the server itself said that it has too much to do
}

const PARTING_BYTES = 60_000;
// Refusals that end the session on this page; whoever listens decides what the participant sees.
const FATAL = new Set(["other-tab", "withdrawn", "ended", "consent-again", "consent-first", "no-token", "expired"]);

export class Sender {
  onState: (state: SenderState) => void = () => undefined;
  onFatal: (refusal: Refusal) => void = () => undefined;
  // Letters that the server will never take (malformed, or answered before): they must not hold up the others.
  readonly refused: { letter: Letter; refusal: Refusal }[] = [];
  private queue: Letter[] = [];
  private running = false;
  private failures = 0;
  private crowded = false;
  private wake = new AbortController();
  private stopped = false;
  private readonly replies = new Map<string, (saved: Saved | null) => void>();
  private watchers: { limit: number; resolve: () => void }[] = [];

  constructor(private readonly api: Pick<Api, "save" | "saveInParting">, private readonly box: Outbox, private readonly waiting: Waiting = pageWaiting) {}

  async load(session: string): Promise<Letter[]> {
    this.queue = await this.box.letters(session);
    void this.run();
    return [...this.queue];
  }

  // The letter is in the box already; the promise settles when the server has it (or never will).
  send(letter: Letter): Promise<Saved | null> {
    const reply = new Promise<Saved | null>((resolve) => this.replies.set(letter.uuid, resolve));
    this.queue.push(letter);
    void this.run();
    return reply;
  }

  // Resolves when fewer than `limit` letters are waiting.
  room(limit: number): Promise<void> {
    if (this.queue.length < limit) return Promise.resolve();
    return new Promise((resolve) => this.watchers.push({ limit, resolve }));
  }

  get pending(): number {
    return this.queue.length;
  }

  hurry(): void {
    this.failures = 0;
    this.wake.abort();
  }

  stop(): void {
    this.stopped = true;
    this.wake.abort();
  }

  part(): void {
    let bytes = 0;
    for (const letter of this.queue) {
      bytes += JSON.stringify(letter.body).length;
      if (bytes > PARTING_BYTES) return;
      this.api.saveInParting(letter.uuid, letter.body);
    }
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (this.queue.length && !this.stopped) {
      this.tell();
      await this.deliver(this.queue[0]!);
    }
    this.running = false;
    this.tell();
  }

  private async deliver(letter: Letter): Promise<void> {
    try {
      const saved = await this.api.save(letter.uuid, letter.body);
      await this.drop(letter, saved);
    } catch (error) {
      await this.fail(letter, error);
    }
  }

  private async drop(letter: Letter, saved: Saved | null): Promise<void> {
    await this.box.acknowledge(letter.uuid);
    this.failures = 0;
    this.queue = this.queue.filter((other) => other !== letter);
    this.replies.get(letter.uuid)?.(saved);
    this.replies.delete(letter.uuid);
    const free = this.watchers.filter((watcher) => this.queue.length < watcher.limit);
    this.watchers = this.watchers.filter((watcher) => !free.includes(watcher));
    free.forEach((watcher) => watcher.resolve());
  }

  private async fail(letter: Letter, error: unknown): Promise<void> {
    if (!(error instanceof Refusal) || isBusy(error)) return this.waitAfter(error);
    if (FATAL.has(error.problem) || error.status === 401) {
      this.stop();
      this.onFatal(error);
    } else if (error.problem === "wrong-attempt" && typeof error.more.attempt === "number") {
      letter.body = { ...letter.body, attempt: error.more.attempt };
      await this.box.replace(letter);
    } else {
      this.refused.push({ letter, refusal: error });
      await this.drop(letter, null);
    }
  }

  private async waitAfter(error: unknown): Promise<void> {
    const wait = pauseAfter(error, this.failures, this.waiting.random());
    this.failures += 1;
    this.crowded = isCrowded(error);
    this.tell();
    this.wake = new AbortController();
    await this.waiting.sleep(wait, this.wake.signal);
  }

  private tell(): void {
    this.onState({ pending: this.queue.length, failing: this.failures > 0, crowded: this.crowded });
  }
}
