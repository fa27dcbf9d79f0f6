// What the server answers about a scene (viewer/playground.py).

import { askServer } from "../dom.js";

export const askKnown = () => askServer("/known");
export const askScene = (corpus, number) => askServer(`/scene?${new URLSearchParams({ corpus, ...(number === null ? {} : { number: String(number) }) })}`);
export const askAll = (question) => askServer("/answer", question);

export function isLearning(answers) {
  const hearers = [...answers.speakers.flatMap((speaker) => speaker.hearers ?? []), ...(answers.own?.hearers ?? [])];
  return [...answers.speakers, ...hearers].some(({ learning }) => learning);
}

export function lookAt(look, target, hearers = [], gone = new Set()) {
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

function wentOf({ name, belief = {} }, places) {
  const known = Object.entries(belief);
  return {
    hearer: name,
    n: null,
    shares: new Map(known.filter(([what]) => places.has(what)).map(([what, share]) => [places.get(what), share])),
    elsewhere: known.filter(([what, share]) => !places.has(what) && share >= 0.005),
  };
}
