// What the server says to a scene (viewer/playground.py).

import type { SceneLook, Went } from "../scene/picture.ts";
import { Server } from "../common/server.ts";
import type { PlayScene, Values, WrittenScene } from "./scene.ts";

export interface Named {
  name: string;
  about: string;
  team?: string;
  year?: string;
}

export interface Known {
  speakers: Named[];
  hearers: Named[];
  corpora: Named[];
  learn_from: string;
}

export interface Step {
  property: string | null;
  reason: string;
  ruled_out: string[];
  remaining: number;
}

export interface HearerAnswer {
  name: string;
  learning?: string;
  trouble?: string;
  outcome?: string;
  belief?: Record<string, number>;
}

export interface SpeakerAnswer {
  name: string;
  learning?: string;
  trouble?: string;
  text?: string | null;
  distinguishing?: boolean | null;
  also?: string[];
  dropped?: string[]; // chosen, and not in the words
  false?: string[]; // not true of the target
  learned?: string;
  steps?: Step[];
  hearers?: HearerAnswer[];
}

export interface OwnAnswer {
  text: string;
  read: string[];
  hearers: HearerAnswer[];
}

export interface Look {
  width: number;
  height: number;
  things: Array<{ id: string; picture: string; box: [number, number, number, number]; words: string }>;
}

export interface Answers {
  look: Look;
  speakers: SpeakerAnswer[];
  own?: OwnAnswer;
}

export interface CorpusScene {
  scene: WrittenScene;
  number: number;
  of: number;
  id: string;
  people: string | null;
  values: Values;
}

export interface Question {
  scene: PlayScene;
  speakers: string[];
  hearers: string[];
  words: string;
  learn_from: string;
}

const server = new Server({ base: "/", token: () => null });

export const askKnown = (): Promise<Known> => server.ask("GET", "known");
export const askScene = (corpus: string, number: number | null): Promise<CorpusScene> =>
  server.ask("GET", `scene?${new URLSearchParams({ corpus, ...(number === null ? {} : { number: String(number) }) })}`);
export const askAll = (question: Question): Promise<Answers> => server.ask("POST", "answer", question);

export function isLearning(answers: Answers): boolean {
  const hearers = [...answers.speakers.flatMap((speaker) => speaker.hearers ?? []), ...(answers.own?.hearers ?? [])];
  return [...answers.speakers, ...hearers].some(({ learning }) => learning);
}

export function lookAt(look: Look, target: string, hearers: readonly HearerAnswer[] = [], gone: ReadonlySet<string> = new Set()): SceneLook {
  const places = new Map(look.things.map(({ id }, i) => [id, i]));
  return {
    width: look.width,
    height: look.height,
    things: look.things.map(({ id, picture, words, box: [left, top, width, height] }) => ({ id, picture, words, box: { left, top, width, height } })),
    named: true,
    targets: new Set([places.get(target) ?? -1]),
    gone: new Set([...gone].map((id) => places.get(id) ?? -1)),
    went: hearers.filter(({ belief }) => belief).map((hearer) => wentOf(hearer, places)),
  };
}

function wentOf({ name, belief = {} }: HearerAnswer, places: ReadonlyMap<string, number>): Went {
  const known = Object.entries(belief);
  return {
    hearer: name,
    n: null,
    shares: new Map(known.filter(([what]) => places.has(what)).map(([what, share]) => [places.get(what)!, share])),
    elsewhere: known.filter(([what, share]) => !places.has(what) && share >= 0.005),
  };
}
