// Entry point: the replay of one recording, from data inside the page itself. Nothing is asked of any network.

import { clock } from "../common/clock.ts";
import { make } from "../common/dom.ts";
import { drawGoal, drawHint } from "../tangram/board-view.ts";
import { hashOf } from "../tangram/board-hash.ts";
import { Film, type FilmData } from "../replay/film.ts";
import { Player } from "../replay/player.ts";
import { Transcript } from "../replay/transcript.ts";
import { screenFrames } from "../timing/frames.ts";

interface PageData {
  title: string;
  facts: [string, string][];
  goal: { name: string; path: string } | null;
  film: FilmData;
}

// For those who want to check what they see: window.replay.hash(ms) is the hash of the stored state at a time.
declare global {
  interface Window {
    replay: { seek: (ms: number) => void; time: () => number; hash: (ms: number) => string; cursor: (ms: number) => readonly [number, number] | null };
  }
}

function goalPanel(goal: NonNullable<PageData["goal"]>, film: FilmData): { node: HTMLElement; follow: (time: number) => void } {
  const svg = drawGoal(goal.path, `Goal: ${goal.name}`);
  const note = make("figcaption", {}, `Goal: ${goal.name} (only the solver saw it)`);
  let shown: SVGGElement | null = null;
  let number = -1;
  const follow = (time: number): void => {
    const given = film.hints.filter((hint) => hint.t_ms <= time);
    if (given.length === number) return;
    number = given.length;
    const last = given.at(-1);
    shown?.remove();
    shown = last ? drawHint(last.piece, last) : null;
    if (shown) svg.append(shown);
    note.textContent = last ? `Goal: ${goal.name}, with hint ${last.number + 1} given at ${clock(last.t_ms)}` : `Goal: ${goal.name} (only the solver saw it)`;
  };
  return { node: make("figure", { class: "goal-panel" }, svg, note), follow };
}

function start(root: HTMLElement, data: PageData): void {
  const film = new Film(data.film);
  const goal = data.goal && goalPanel(data.goal, data.film);
  let player: Player | null = null;
  const transcript = new Transcript(data.film.said, (time) => player?.seek(time));
  player = new Player(film, screenFrames, (time) => {
    transcript.follow(time);
    goal?.follow(time);
  });
  const facts = make("p", { class: "facts" }, data.facts.map(([name, value]) => `${name} ${value}`).join(" · "));
  const help = make("p", { class: "facts keys" }, "Space plays, ← → go frame by frame, Shift ← → by 5 s, + − change the speed, C cursor, N numbers, V voices.");
  const side = make("aside", { class: "side" }, goal?.node, make("h2", {}, "Transcript"), data.film.said.length ? transcript.node : make("p", { class: "facts" }, "Nothing was said."));
  root.replaceChildren(make("header", { class: "replay-head" }, make("h1", {}, data.title), facts), make("main", { class: "replay" }, player.node, side), help);
  document.addEventListener("keydown", (event) => {
    if (!(event.target instanceof HTMLElement) || !event.target.closest("button, select, input[type=checkbox]") || event.key !== " ") player.press(event);
  });
  window.replay = {
    seek: (ms) => player.seek(ms), time: () => player.projector.time,
    hash: (ms) => hashOf(film.at(ms).board), cursor: (ms) => film.at(ms).cursor,
  };
}

const [root, data] = [document.getElementById("app"), document.getElementById("data")];
if (root && data) start(root, JSON.parse(data.textContent ?? "") as PageData);
