// What the annotator's desk says and takes. Saving goes in order, one after the other, again and again until it is acknowledged.

import type { FilmData } from "../tangram/film.ts";

export interface Mark {
  start: number;
  end: number;
  referents: string[];
  attributes: string[];
  uncertain: boolean;
}

export interface Utterance {
  by: string;
  text: string;
  start_ms: number;
  shown_ms: number;
  asked: boolean;
  done: boolean;
  marks: Mark[] | null;
  proposed: Mark[] | null;
  others: Record<string, Mark[]> | null;
}

export interface Sheet {
  session: string;
  film: FilmData;
  utterances: Utterance[];
}

export interface DeskFacts {
  annotator: string;
  beside: string[];
  recordings: { session: string; utterances: number; done: number; synthetic: boolean }[];
  attributes: Record<string, string>;
}

const AGAIN_MS = 1500;

export class DeskApi {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly token: string, private readonly tell: (unsaved: number, problem: string | null) => void) {}

  desk(): Promise<DeskFacts> {
    return this.ask("api/desk");
  }

  sheet(number: number): Promise<Sheet> {
    return this.ask(`api/recordings/${number}`);
  }

  save(number: number, utterance: number, expressions: readonly Mark[], done: boolean): Promise<void> {
    const body = JSON.stringify({ utterance, expressions, done });
    this.tell(++this.waiting, null);
    this.last = this.last.then(() => this.deliver(number, body));
    return this.last;
  }

  private async deliver(number: number, body: string): Promise<void> {
    for (;;) {
      try {
        await this.ask(`api/recordings/${number}/marks`, { method: "POST", body });
        this.tell(--this.waiting, null);
        return;
      } catch (error) {
        if (error instanceof Refusal) {
          this.tell(--this.waiting, error.message);
          return;
        }
        this.tell(this.waiting, "The program does not answer. Is it still running? Marks are kept here until it does.");
        await new Promise((resolve) => void setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  private async ask<T>(path: string, init: RequestInit = {}): Promise<T> {
    const headers = { "authorization": `Bearer ${this.token}`, "content-type": "application/json" };
    const reply = await fetch(path, { ...init, headers });
    if (!reply.ok) throw new Refusal(String(((await reply.json()) as { message?: string }).message ?? reply.status));
    return (await reply.json()) as T;
  }
}

export class Refusal extends Error {}
