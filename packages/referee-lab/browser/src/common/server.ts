// Talks to the server a page came from: the token goes into a header, refusals come back by name, silence is its own kind of failure.

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

// No answer, or none that counts: worth trying again. A server that is `crowded` says so itself, and when to come again.
export class Silence extends Error {
  constructor(message: string, readonly crowded = false, readonly retryAfter: number | null = null) {
    super(message);
  }
}

export type Fetcher = typeof fetch;

export interface ServerSettings {
  base: string; // with its last slash
  token: () => string | null;
  headers?: Record<string, string>;
  fetcher?: Fetcher;
}

interface Refused {
  problem?: string;
  message?: string;
}

export class Server {
  constructor(private readonly settings: ServerSettings) {}

  // A question whose answer is JSON; the body goes as JSON too, unless it is a sound.
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await this.send(method, path, body).catch(fallSilent);
    const said = await readJson(reply);
    if (reply.ok && said) return said as T;
    throw failureOf(reply, said);
  }

  async fetchFile(path: string): Promise<Blob> {
    const reply = await this.send("GET", path).catch(fallSilent);
    if (reply.ok) return reply.blob();
    throw failureOf(reply, await readJson(reply));
  }

  // The bare request; `keepalive` lets it outlive the page.
  send(method: string, path: string, body?: unknown, keepalive = false): Promise<Response> {
    const { base, token, headers = {}, fetcher = fetch } = this.settings;
    const held = token();
    return fetcher(base + path, {
      method,
      headers: { ...headers, ...(held ? { "Authorization": `Bearer ${held}` } : {}), ...kindOf(body) },
      body: body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body),
      keepalive,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: body instanceof Blob ? null : longEnough(),
    });
  }
}

// A server that hangs is as good as none: the page says so and tries again.
const PATIENCE_MS = 9_000;

function longEnough(): AbortSignal | null {
  return typeof AbortSignal.timeout === "function" ? AbortSignal.timeout(PATIENCE_MS) : null;
}

function fallSilent(error: unknown): never {
  throw new Silence(wordsOf(error));
}

function kindOf(body: unknown): Record<string, string> {
  if (body === undefined) return {};
  return { "Content-Type": body instanceof Blob ? "application/octet-stream" : "application/json" };
}

function readJson(reply: Response): Promise<Record<string, unknown> | null> {
  return reply.json().catch(() => null) as Promise<Record<string, unknown> | null>;
}

// Too many people at once, or a store that is slow.
const CROWDED = new Set(["busy", "slow"]);

// What is no JSON comes from something between us and the server, and a server that fails may be well again soon: neither is a refusal.
function failureOf(reply: Response, said: Record<string, unknown> | null): Error {
  const { problem = "refused", message = "" } = (said ?? {}) as Refused;
  const retryAfter = Number(reply.headers.get("Retry-After")) || null;
  if (reply.status >= 500 || reply.status === 408 || !said) return new Silence(message || answered(reply.status), CROWDED.has(problem), retryAfter);
  return new Refusal(reply.status, problem, message, said, retryAfter);
}

const answered = (status: number): string => `The server answered ${status}.`;

// What went wrong, for organisers and annotators; participants are told in their own language by the page.
export function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.message || answered(error.status);
  return error instanceof Error ? error.message : String(error);
}
