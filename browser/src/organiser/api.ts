// What the server tells organisers. The token comes from the part of the link that browsers never send, and leaves the address bar at once.

export interface Progress {
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

export class OrganiserRefusal extends Error {
  constructor(readonly status: number, readonly problem: string, message: string) {
    super(message);
  }
}

const KEY = "referee/organiser";

export function takeToken(study: string): string | null {
  const given = decodeURIComponent(location.hash.replace(/^#(token=)?/, ""));
  if (given) {
    sessionStorage.setItem(`${KEY}/${study}`, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given || sessionStorage.getItem(`${KEY}/${study}`);
}

export class OrganiserApi {
  constructor(private readonly base: string, private readonly token: string) {}

  get<T>(path: string): Promise<T> {
    return this.ask("GET", path).then((reply) => reply.json() as Promise<T>);
  }

  post(path: string): Promise<unknown> {
    return this.ask("POST", path).then((reply) => reply.json());
  }

  blob(path: string): Promise<Blob> {
    return this.ask("GET", path).then((reply) => reply.blob());
  }

  private async ask(method: string, path: string): Promise<Response> {
    const reply = await fetch(`${this.base}organise/${path}`, { method, headers: { Authorization: `Bearer ${this.token}` }, cache: "no-store", credentials: "omit" });
    if (reply.ok) return reply;
    const said = (await reply.json().catch(() => ({}))) as { problem?: string; message?: string };
    throw new OrganiserRefusal(reply.status, said.problem ?? "refused", said.message ?? `The server answered ${reply.status}.`);
  }
}
