// What this browser remembers of a participant: the token (so that they find their session again) and which tab this is.

export function makeUuid(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // pages without TLS, as in a laboratory's network
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// Storage may be forbidden (embedded pages, private windows); then the page remembers for as long as it lives.
export class Memory {
  private readonly held = new Map<string, string>();

  constructor(private readonly storage: () => Storage, private readonly prefix: string) {}

  get(name: string): string | null {
    try {
      return this.storage().getItem(this.prefix + name);
    } catch {
      return this.held.get(name) ?? null;
    }
  }

  set(name: string, value: string | null): void {
    try {
      if (value === null) this.storage().removeItem(this.prefix + name);
      else this.storage().setItem(this.prefix + name, value);
    } catch {
      if (value === null) this.held.delete(name);
      else this.held.set(name, value);
    }
  }
}

// A reload is the same tab, a duplicate is not: the name of the tab is in storage only while no page has it in hand.
export function takeTabName(memory: Memory): string {
  const name = memory.get("tab") ?? makeUuid();
  memory.set("tab", null);
  window.addEventListener("pagehide", () => memory.set("tab", name));
  window.addEventListener("pageshow", () => memory.set("tab", null));
  return name;
}
