// A scene put together from pictures of its objects, with what hearers did laid over it. Reports and the playground show scenes by this and nothing else.

import { make } from "./dom.js";

/**
 * @typedef {{ left: number, top: number, width: number, height: number }} Box  as proportions of the picture
 * @typedef {{ id: string, picture: string | null, box: Box, words: string }} Thing  picture: an SVG, or null where the photograph shows it; words: for screen readers
 * @typedef {{ hearer: string, n: number | null, shares: Map<number, number>, elsewhere: [string, number][] }} Went  the share of one hearer's answers (or belief) that each thing got, by index
 * @typedef {object} SceneLook
 * @property {number} width
 * @property {number} height
 * @property {Thing[]} things
 * @property {Set<number>} targets
 * @property {Went[]} [went]
 * @property {Set<number>} [gone]  ruled out
 * @property {boolean} [named]  whether ids are printed beside the things
 * @property {string} [ground]  the address of a photograph below the boxes
 */

// A hundredth of a cell in pixels, where there is room.
const SCALE = 1.1;
// Okabe and Ito's, without the pale ones that no number could be read on.
const COLOURS = ["#0072b2", "#b34a00", "#00795a", "#9b4b78", "#5a5a5a"];

const isSeen = (share) => (share ?? 0) >= 0.005;
export const percent = (share) => `${Math.round(100 * share)}%`;
export const colourOf = (hearer) => COLOURS[hearer % COLOURS.length];

export function pictureAddress(svg) {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function sceneElement(look) {
  const scene = make("div", { class: "picture" }, ...look.things.map((thing, place) => thingElement(look, thing, place)));
  scene.style.aspectRatio = `${look.width} / ${look.height}`;
  scene.style.maxWidth = `${Math.round(look.width * SCALE)}px`;
  // Objects make room for as many bars as the fullest cell has, all alike, so that sizes still compare and no name is hidden.
  const bars = Math.max(0, ...look.things.map((_, place) => (look.went ?? []).filter(({ shares }) => isSeen(shares.get(place))).length));
  if (bars) scene.style.setProperty("--bars", String(bars));
  if (look.ground) scene.style.backgroundImage = `url(${JSON.stringify(look.ground)})`;
  return scene;
}

function thingElement(look, thing, place) {
  const target = look.targets.has(place), gone = look.gone?.has(place) ?? false;
  const element = make("div", { class: ["thing", target && "target", gone && "gone"].filter(Boolean).join(" ") });
  element.style.left = percentOf(thing.box.left);
  element.style.top = percentOf(thing.box.top);
  element.style.width = percentOf(thing.box.width);
  element.style.height = percentOf(thing.box.height);
  if (thing.picture !== null) element.append(make("img", { src: pictureAddress(thing.picture), alt: spoken(look, thing, place), draggable: "false" }));
  if (target) element.append(make("span", { class: "flag", "aria-hidden": "true" }, "target"));
  if (look.named) element.append(make("span", { class: "name", "aria-hidden": "true" }, thing.id));
  const went = (look.went ?? []).map((hearer, i) => ({ share: hearer.shares.get(place) ?? 0, i })).filter(({ share }) => isSeen(share));
  if (went.length) element.append(make("div", { class: "went", "aria-hidden": "true" }, ...went.map(({ share, i }) => bar(share, i))));
  return element;
}

function bar(share, hearer) {
  const element = make("span", { class: "share" }, make("i"), make("b", {}, percent(share)));
  const fill = element.firstElementChild;
  fill.style.width = percentOf(share);
  fill.style.background = colourOf(hearer);
  return element;
}

function spoken(look, thing, place) {
  const went = (look.went ?? []).filter(({ shares }) => isSeen(shares.get(place))).map(({ hearer, shares }) => `${hearer} ${percent(shares.get(place))}`);
  return [look.targets.has(place) ? "target" : "", look.gone?.has(place) ? "ruled out" : "", thing.words, went.length ? `chosen by ${went.join(", ")}` : ""].filter(Boolean).join("; ");
}

const percentOf = (share) => `${(100 * share).toFixed(3)}%`;

// Who is which colour, how many answers there are, and what was no object.
export function legend(went) {
  return make("ul", { class: "legend" }, ...went.map((hearer, i) => {
    const sign = make("i", { "aria-hidden": "true" });
    sign.style.background = colourOf(i);
    const more = [hearer.n === null ? "" : `${hearer.n} answer${hearer.n === 1 ? "" : "s"}`, ...hearer.elsewhere.map(([what, share]) => `${what} ${percent(share)}`)].filter(Boolean);
    return make("li", {}, sign, hearer.hearer, more.length ? make("span", { class: "note" }, ` ${more.join(", ")}`) : null);
  }));
}
