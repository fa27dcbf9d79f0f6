// How a room is reached from within a study: the page that plays the study says who it is and at which step; the room asks here.

import { isBusy } from "../common/patience.ts";
import { Refusal, Server } from "../common/server.ts";
import { Memory } from "../participant/memory.ts";
import type { SoundPiece } from "./voice.ts";

export interface Visitor {
  base: string; // the study's address, with its last slash
  token: () => string | null;
  tab: string;
  server: Server;
}

let visitor: Visitor = { base: "/", token: () => null, tab: "", server: new Server({ base: "/", token: () => null }) };
let sounds = 0;
const answers = new Memory(() => sessionStorage, "referee-microphone:");
const visitorKey = (): string => visitor.token()?.slice(-16) ?? "";

export const visit = {
  step: 0,
  leave: (): void => undefined,

  introduce(who: Visitor): void {
    visitor = who;
  },

  address(room: string): string {
    const address = new URL(`${visitor.base}room/${room}`, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    return address.href;
  },

  hello(): Record<string, unknown> {
    return { token: visitor.token(), tab: visitor.tab, step: visit.step };
  },

  // What the person has answered to the question about the microphone, in this tab.
  microphone: {
    get: (): string | null => answers.get(visitorKey()),
    set: (answer: string): void => answers.set(visitorKey(), answer),
  },

  // Numbers of pieces never repeat within a tab, whatever is reloaded.
  soundsBefore(): number {
    sounds = Math.max(sounds, Math.floor(Date.now() / 1000) % 90_000);
    return sounds;
  },

  // True when the server has the piece, or will never take it: either way it need not go again.
  async putSound(room: string, { chunk, part, puzzle, start, end, sound }: SoundPiece): Promise<boolean> {
    const query = new URLSearchParams({ start_ms: String(start), end_ms: String(end), part: String(part), puzzle: String(puzzle) });
    try {
      await visitor.server.ask("PUT", `room/${room}/voice/${chunk}?${query}`, sound);
      return true;
    } catch (error) {
      return error instanceof Refusal && !isBusy(error);
    }
  },
};
