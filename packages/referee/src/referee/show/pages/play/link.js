// A link that holds the scene: nothing is kept anywhere else. What is wrong with a broken one is said.

import { readScene } from "./scene.js";

const LONGEST = 100_000;

export class BrokenLink extends Error {}

export function linkOf(shared) {
  const text = JSON.stringify(shared);
  const bytes = new TextEncoder().encode(text);
  const plain = btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(""));
  return `#scene=${plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

// Null where the address holds no scene.
export function readLink(hash) {
  if (!hash || hash === "#") return null;
  const match = /^#scene=([\w-]*)$/.exec(hash);
  if (!match) throw new BrokenLink("it should go on with #scene= and letters, digits, - and _ only");
  if (hash.length > LONGEST) throw new BrokenLink("it is too long");
  const said = parsed(decoded(match[1]));
  const scene = said["scene"];
  if (typeof scene !== "object" || scene === null) throw new BrokenLink("it holds no scene");
  try {
    return { scene: readScene(scene), speakers: names(said["speakers"]), hearers: names(said["hearers"]), words: typeof said["words"] === "string" ? said["words"] : "" };
  } catch (error) {
    throw new BrokenLink(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function decoded(text) {
  try {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(plain, (sign) => sign.codePointAt(0)));
  } catch (error) {
    throw new BrokenLink("a part of it is missing or was changed on its way", { cause: error });
  }
}

function parsed(text) {
  try {
    const found = JSON.parse(text);
    if (typeof found === "object" && found !== null) return found;
  } catch (error) {
    throw new BrokenLink("its end is missing, or it was changed on its way", { cause: error });
  }
  throw new BrokenLink("it holds something else than a scene");
}

const names = (value) => (Array.isArray(value) ? value.filter((name) => typeof name === "string") : []);
