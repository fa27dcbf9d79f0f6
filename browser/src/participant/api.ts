// Talks to the study's server: the token goes into a header, refusals come back by name, silence is its own kind of failure.

import type { Ending, Entrance, Plan, TrialBody } from "./plan.ts";

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: string,
    message: string,
    readonly more: Record<string, unknown> = {},
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

// No answer, or none that counts: worth trying again.
export class Silence extends Error {}

export interface Saved {
  saved: boolean;
  count: number;
  missing: number;
  right?: boolean | null;
}

export class Api {
  token: string | null = null;

  constructor(
    private readonly base: string,
    readonly tab: string,
    private readonly fetcher: typeof fetch = (...request) => fetch(...request),
  ) {}

  enter(platform: Record<string, string>, mode: string | null): Promise<Entrance> {
    return this.ask("POST", "enter", { platform, tab: this.tab, ...(mode ? { mode } : {}) });
  }

  claim(): Promise<unknown> {
    return this.ask("POST", "claim", { tab: this.tab });
  }

  consent(agree: boolean, hash: string): Promise<Ending> {
    return this.ask("POST", "consent", { agree, hash });
  }

  plan(): Promise<Plan> {
    return this.ask("GET", "plan");
  }

  client(facts: Record<string, unknown>): Promise<unknown> {
    return this.ask("POST", "client", facts);
  }

  save(uuid: string, body: TrialBody): Promise<Saved> {
    return this.ask("PUT", `trials/${uuid}`, body);
  }

  // The page is going away: nobody waits for the answer, and it never counts as saved.
  saveInParting(uuid: string, body: TrialBody): void {
    this.send("PUT", `trials/${uuid}`, body, true).catch(() => undefined);
  }

  finish(): Promise<Ending> {
    return this.ask("POST", "finish", {});
  }

  withdraw(): Promise<Ending> {
    return this.ask("POST", "withdraw", {});
  }

  withdrawByCode(code: string): Promise<Ending> {
    return this.ask("POST", "withdraw-by-code", { code });
  }

  private send(method: string, path: string, body?: unknown, keepalive = false): Promise<Response> {
    const headers: Record<string, string> = { "X-Referee-Tab": this.tab };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return this.fetcher(`${this.base}api/${path}`, {
      method, headers, body: body === undefined ? null : JSON.stringify(body), keepalive, cache: "no-store", credentials: "omit", redirect: "error",
    });
  }

  private async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await this.send(method, path, body).catch((error: unknown) => {
      throw new Silence(String(error));
    });
    const said = (await reply.json().catch(() => null)) as Record<string, unknown> | null;
    if (reply.ok && said) return said as T;
    if (reply.status >= 500 || reply.status === 408 || !said) throw new Silence(`status ${reply.status}`);
    throw new Refusal(reply.status, String(said.problem ?? "refused"), String(said.message ?? ""), said, Number(reply.headers.get("Retry-After")) || null);
  }
}
