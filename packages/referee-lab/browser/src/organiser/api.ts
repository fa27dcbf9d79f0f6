// What the server tells organisers.

import { Server } from "../common/server.ts";

export interface Progress {
  warnings?: string[];
  study: { id: string; title: string; mode: string; hash: string };
  planned: number;
  entered: number;
  declined: number;
  purged: number;
  states: Record<string, number>;
  lists: { list: string; filled: number; reserved: number; free: number }[];
  trials: number;
  unblinded: boolean;
  right: "view" | "manage";
  now: number;
}

export interface Person {
  alias: string;
  state: string;
  outcome: string | null;
  list: string;
  trials: number;
  entered: number;
  last: number;
  purge_at: number | null;
}

export interface Quality {
  trials: number;
  aborted: number;
  flags: Record<string, number>;
  pointers: Record<string, number>;
  frame_ms: { n: number; median: number | null };
  checks: { passed: number; failed: number };
}

export interface SystemResult {
  system: string;
  trials: number;
  errors: { n: number; rate: number | null };
  means: Record<string, { n: number; mean: number }>;
}

export interface Puzzle {
  goal: string;
  result: string;
  seconds: number;
  utterances: number;
  file: string;
}

export interface PlayedRoom {
  id: string;
  state: string;
  outcome: string | null;
  people: string[];
  created: number;
  puzzles: Puzzle[];
  why_not: string | null;
}

export class OrganiserApi {
  private readonly server: Server;

  constructor(base: string, token: string) {
    this.server = new Server({ base: `${base}organise/`, token: () => token });
  }

  progress(): Promise<Progress> {
    return this.server.ask("GET", "progress");
  }

  participants(): Promise<{ participants: Person[] }> {
    return this.server.ask("GET", "participants");
  }

  quality(): Promise<Quality> {
    return this.server.ask("GET", "quality");
  }

  results(): Promise<{ systems: SystemResult[] }> {
    return this.server.ask("GET", "results");
  }

  unblind(): Promise<unknown> {
    return this.server.ask("POST", "unblind");
  }

  withdraw(alias: string): Promise<unknown> {
    return this.server.ask("POST", `withdraw/${encodeURIComponent(alias)}`);
  }

  // null in studies where nobody plays in rooms.
  rooms(): Promise<{ rooms: PlayedRoom[] | null }> {
    return this.server.ask("GET", "rooms");
  }

  recording(file: string): Promise<Blob> {
    return this.server.fetchFile(`rooms/${encodeURIComponent(file)}`);
  }

  data(): Promise<Blob> {
    return this.server.fetchFile("export.zip");
  }
}
