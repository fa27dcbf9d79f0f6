// What a participant's page asks of the study's server.

import { Server, type Fetcher } from "../common/server.ts";
import type { Ending, Entrance, Plan, TrialBody } from "./plan.ts";

export interface Saved {
  saved: boolean;
  count: number;
  missing: number;
  right?: boolean | null;
  ended?: Ending;
}

export class Api {
  token: string | null = null;
  readonly server: Server;

  constructor(base: string, readonly tab: string, fetcher?: Fetcher) {
    this.server = new Server({ base, token: () => this.token, headers: { "X-Referee-Tab": tab }, fetcher });
  }

  enter(platform: Record<string, string>, mode: string | null, debugKey: string | null): Promise<Entrance> {
    const device = { width: innerWidth, height: innerHeight, coarse: matchMedia("(pointer: coarse)").matches };
    return this.server.ask("POST", "api/enter", { platform, tab: this.tab, device, ...(mode ? { mode, debug_key: debugKey ?? "" } : {}) });
  }

  claim(): Promise<unknown> {
    return this.server.ask("POST", "api/claim", { tab: this.tab });
  }

  consent(agree: boolean, hash: string): Promise<Ending> {
    return this.server.ask("POST", "api/consent", { agree, hash });
  }

  plan(): Promise<Plan> {
    return this.server.ask("GET", "api/plan");
  }

  client(facts: Record<string, unknown>): Promise<unknown> {
    return this.server.ask("POST", "api/client", facts);
  }

  save(uuid: string, body: TrialBody): Promise<Saved> {
    return this.server.ask("PUT", `api/trials/${uuid}`, body);
  }

  // The page is going away: nobody waits for the answer, and it never counts as saved.
  saveInParting(uuid: string, body: TrialBody): void {
    this.server.send("PUT", `api/trials/${uuid}`, body, true).catch(() => undefined);
  }

  finish(): Promise<Ending> {
    return this.server.ask("POST", "api/finish", {});
  }

  withdraw(): Promise<Ending> {
    return this.server.ask("POST", "api/withdraw", {});
  }

  withdrawByCode(code: string): Promise<Ending> {
    return this.server.ask("POST", "api/withdraw-by-code", { code });
  }
}
