// SHA-256 of a state of the board. Written out because pages without TLS, as in a laboratory's network, have no crypto.subtle.

import { canonical, type Board } from "./board.ts";

const PRIMES = [...Array(312).keys()].filter((n) => n > 1 && [...Array(n).keys()].every((d) => d < 2 || n % d !== 0));
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0;
const ROUNDS = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const turn = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

export function sha256(ascii: string): string {
  const blocks = (ascii.length + 72) >> 6;
  const words = new Int32Array(blocks * 16);
  for (let i = 0; i < ascii.length; i++) words[i >> 2]! |= ascii.charCodeAt(i) << (24 - 8 * (i & 3));
  words[ascii.length >> 2]! |= 0x80 << (24 - 8 * (ascii.length & 3));
  words[blocks * 16 - 1] = ascii.length * 8;
  const state = Int32Array.from(START);
  for (let block = 0; block < blocks; block++) mix(state, words.subarray(block * 16, block * 16 + 16));
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function mix(state: Int32Array, block: Int32Array): void {
  const w = new Int32Array(64);
  w.set(block);
  for (let i = 16; i < 64; i++) {
    const [a, b] = [w[i - 15]!, w[i - 2]!];
    w[i] = w[i - 16]! + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7]! + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
}

export const hashOf = (board: Board): string => sha256(canonical(board));
