// What the annotator's desk says and takes. Saving goes in order, one after the other, again and again until it is acknowledged.

import { pageWaiting } from "../common/patience.ts";
import { Refusal, Server, wordsOf } from "../common/server.ts";
import type { FilmData } from "../replay/film.ts";

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

// The program runs on this same machine: it is there at once or it has been ended.
const AGAIN_MS = 1500;

export class DeskApi {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private readonly server: Server;

  constructor(token: string, private readonly tell: (unsaved: number, problem: string | null) => void) {
    this.server = new Server({ base: "api/", token: () => token });
  }

  desk(): Promise<DeskFacts> {
    return this.server.ask("GET", "desk");
  }

  sheet(number: number): Promise<Sheet> {
    return this.server.ask("GET", `recordings/${number}`);
  }

  save(number: number, utterance: number, expressions: readonly Mark[], done: boolean): Promise<void> {
    // As it is now: marks may change while an earlier save is still under way.
    const body: unknown = JSON.parse(JSON.stringify({ utterance, expressions, done }));
    this.tell(++this.waiting, null);
    this.last = this.last.then(() => this.deliver(number, body));
    return this.last;
  }

  private async deliver(number: number, body: unknown): Promise<void> {
    for (;;) {
      try {
        await this.server.ask("POST", `recordings/${number}/marks`, body);
        this.tell(--this.waiting, null);
        return;
      } catch (error) {
        if (error instanceof Refusal) {
          this.tell(--this.waiting, wordsOf(error));
          return;
        }
        this.tell(this.waiting, "The program does not answer. Is it still running? Marks are kept here until it does.");
        await pageWaiting.sleep(AGAIN_MS);
      }
    }
  }
}
