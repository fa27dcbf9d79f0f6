// When and after how long something is tried again.

import { Refusal, Silence } from "./server.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const TOO_MANY_REQUESTS = 429;

export interface Waiting {
  sleep(ms: number, wake?: AbortSignal): Promise<void>;
  random(): number;
}

export const pageWaiting: Waiting = {
  random: Math.random,
  sleep: (ms, wake) => new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  }),
};

// Twice as long each time, and spread by chance, so that a thousand pages do not all come back in the same moment.
export function backOff(failures: number, random: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)) * (0.5 + random / 2);
}

// A server that says when to come again is not asked before.
export function pauseAfter(error: unknown, failures: number, random: number): number {
  const asked = error instanceof Refusal || error instanceof Silence ? (error.retryAfter ?? 0) * 1000 : 0;
  // A crowd does not come back in one moment.
  const spread = error instanceof Silence ? 1 + random : 1;
  return Math.max(asked * spread, backOff(failures, random));
}

export function isBusy(error: unknown): boolean {
  return error instanceof Refusal && error.status === TOO_MANY_REQUESTS;
}

// The server is there and has too much to do.
export function isCrowded(error: unknown): boolean {
  return isBusy(error) || (error instanceof Silence && error.crowded);
}

export function mayPass(error: unknown): boolean {
  return error instanceof Silence || isBusy(error);
}
