// The panels of the dashboard, each made from what the server said and from nothing else.

import { button, make, type Child } from "../common/dom.ts";
import type { Person, PlayedRoom, Progress, Puzzle, Quality, SystemResult } from "./api.ts";
import { bar, interval, legend, row, wilson } from "./charts.ts";

export const SILENT_SECONDS = 15 * 60;
const UNDERWAY = ["consented", "running"];
const STATE_WORDS: Record<string, string> = {
  consented: "agreed", running: "under way", finished: "all answers in", coded: "completed", screened_out: "screened out", timed_out: "timed out",
  partner_left: "partner left", withdrawn: "withdrawn", purged: "deleted",
};

export function stateWord(state: string): string {
  return STATE_WORDS[state] ?? state;
}

export function panel(id: string, title: string, ...content: Child[]): HTMLElement {
  return make("section", { class: "panel", id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), ...content);
}

function tile(name: string, value: string, note = ""): HTMLElement {
  return make("div", { class: "tile" }, make("span", { class: "tile-value" }, value), make("span", { class: "tile-name" }, name), make("span", { class: "tile-note" }, note));
}

export function completed(progress: Progress): number {
  return (progress.states.coded ?? 0) + (progress.states.finished ?? 0);
}

export function silentPeople(people: readonly Person[], now: number): Person[] {
  return people.filter((person) => UNDERWAY.includes(person.state) && now - person.last > SILENT_SECONDS);
}

export function tiles(progress: Progress, people: readonly Person[]): HTMLElement {
  const done = completed(progress);
  const silent = silentPeople(people, progress.now).length;
  const underway = UNDERWAY.reduce((sum, state) => sum + (progress.states[state] ?? 0), 0);
  const lost = ["timed_out", "screened_out", "partner_left", "withdrawn"].reduce((sum, state) => sum + (progress.states[state] ?? 0), 0);
  return make(
    "div",
    { class: "tiles" },
    tile("completed", String(done), `of ${progress.planned} planned`),
    tile("under way", String(underway - silent), silent ? `and ${silent} silent` : ""),
    tile("dropped out", String(lost + progress.purged), progress.declined ? `${progress.declined} declined` : ""),
    tile("answers saved", progress.trials.toLocaleString("en"), ""),
  );
}

export function listsPanel(progress: Progress): HTMLElement {
  const rows = progress.lists.map(({ list, filled, reserved, free }) => {
    const total = filled + reserved + free;
    const segments = [{ value: filled, kind: "filled", name: "filled" }, { value: reserved, kind: "reserved", name: "under way" }, { value: free, kind: "free", name: "free" }];
    return row(list, bar(segments, total, `${list}: ${filled} filled, ${reserved} under way, ${free} free`), `${filled} / ${total}`);
  });
  return panel("lists", "Places on the lists", legend(["filled", "filled"], ["reserved", "under way"], ["free", "free"]), make("div", { class: "rows scrolling" }, ...rows));
}

export function statesPanel(progress: Progress): HTMLElement {
  const { states } = progress;
  const agreed = Object.values(states).reduce((a, b) => a + b, 0) + progress.purged;
  const began = agreed - (states.consented ?? 0);
  const top = Math.max(progress.entered, agreed, 1);
  const steps: [string, number][] = [["opened the link", progress.entered], ["agreed", agreed], ["began", began], ["completed", completed(progress)]];
  return panel("funnel", "From link to code", make("div", { class: "rows" }, ...steps.map(([name, n]) => row(name, bar([{ value: n, kind: "filled" }], top, `${name}: ${n}`), String(n)))));
}

export function dropoutsPanel(progress: Progress, people: readonly Person[]): HTMLElement {
  const silent = silentPeople(people, progress.now);
  const counts: [string, number][] = [
    ["declined", progress.declined], ["withdrew", progress.states.withdrawn ?? 0], ["timed out", progress.states.timed_out ?? 0], ["screened out", progress.states.screened_out ?? 0],
    ["partner left", progress.states.partner_left ?? 0], ["silent for 15 min", silent.length], ["deleted", progress.purged],
  ];
  const shown = counts.filter(([, n]) => n > 0);
  const top = Math.max(1, ...counts.map(([, n]) => n));
  const left = [...silent, ...people.filter((person) => ["withdrawn", "timed_out", "partner_left"].includes(person.state))].map((person) => person.trials).sort((a, b) => a - b);
  const where = left.length ? make("p", { class: "note" }, `They left after ${left.join(", ")} saved answers.`) : null;
  const rows = shown.map(([name, n]) => row(name, bar([{ value: n, kind: "lost" }], top, `${name}: ${n}`), String(n)));
  return panel("dropouts", "Drop-outs", shown.length ? make("div", { class: "rows" }, ...rows) : make("p", { class: "note" }, "Nobody has left so far."), where);
}

const FLAG_WORDS: Record<string, string> = {
  "hidden": "page hidden", "blur": "attention elsewhere", "late-onset": "late onset (> 50 ms)", "long-frame": "long frame (> 50 ms)", "preload-failed": "picture missing", "zoom": "zoomed",
  "untrusted": "not a person's event",
};

function percent(n: number, of: number): string {
  return of ? `${((100 * n) / of).toFixed(1)} %` : "–";
}

export function qualityPanel(quality: Quality): HTMLElement {
  const { median, n } = quality.frame_ms;
  const frame = median === null ? "no display measured yet" : `${median.toFixed(2)} ms a frame (${Math.round(1000 / median)} Hz), median of ${n} ${n === 1 ? "display" : "displays"}`;
  const flags = Object.entries({ "late-onset": 0, "long-frame": 0, "hidden": 0, "blur": 0, ...quality.flags });
  const rows = flags.map(([name, count]) => row(FLAG_WORDS[name] ?? name, bar([{ value: count, kind: count ? "warn" : "free" }], Math.max(1, quality.trials), `${name}: ${count} of ${quality.trials}`), percent(count, quality.trials)));
  const pointers = Object.entries(quality.pointers).map(([name, count]) => `${name} ${count}`).join(", ");
  const facts: [string, string][] = [
    ["trials", quality.trials.toLocaleString("en")], ["interrupted", String(quality.aborted)], ["answered by", pointers || "–"],
    ["attention checks", `${quality.checks.passed} passed, ${quality.checks.failed} failed`],
  ];
  return panel("quality", "Timing quality", make("p", { class: "note" }, frame), make("div", { class: "rows" }, ...rows), factList(facts));
}

function factList(facts: [string, string][]): HTMLElement {
  return make("dl", { class: "facts" }, ...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

const FIRST = ["identification_ms", "reading_ms", "combined_ms"];
const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

export function resultsPanel(systems: readonly SystemResult[]): HTMLElement {
  const withErrors = systems.filter((system) => system.errors.rate !== null);
  const bounds = withErrors.map(({ errors }) => wilson(errors.rate! * errors.n, errors.n));
  const top = Math.max(0.1, ...bounds.map(([, high]) => high));
  const errorRows = withErrors.map((system, i) => {
    const [low, high] = bounds[i]!;
    const share = `${(100 * system.errors.rate!).toFixed(1)} %`;
    return row(system.system, interval(system.errors.rate!, low, high, top, `${system.system}: ${share} errors`), share, make("span", { class: "chart-n" }, `n = ${system.errors.n}`));
  });
  const measures = [...new Set(systems.flatMap((system) => Object.keys(system.means)))].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const blocks = measures.map((name) => make("div", {}, make("h3", {}, measureWord(name)), make("div", { class: "rows" }, ...meanRows(systems, name))));
  const warning = make("p", { class: "note" }, "For looking only: means of all trials so far, nothing excluded. The planned analysis has its own command.");
  if (!systems.length) return panel("results", "Results by system", make("p", { class: "note" }, "No answers yet."));
  const scale = `errors with 95 % intervals (Wilson), from 0 to ${Math.round(100 * top)} %`;
  const errors = errorRows.length ? [make("div", {}, make("h3", {}, scale), make("div", { class: "rows" }, ...errorRows))] : [];
  return panel("results", "Results by system", warning, make("div", { class: "measures" }, ...errors, ...blocks));
}

function measureWord(name: string): string {
  return name.endsWith("_ms") ? `mean ${name.slice(0, -3).replaceAll("_", " ")} time` : `mean ${name}`;
}

function meanRows(systems: readonly SystemResult[], name: string): HTMLElement[] {
  const top = Math.max(...systems.map((system) => system.means[name]?.mean ?? 0));
  const shown = (mean: number): string => (name.endsWith("_ms") ? `${(mean / 1000).toFixed(2)} s` : mean.toFixed(2));
  return systems.flatMap((system) => {
    const found = system.means[name];
    return found ? [row(system.system, bar([{ value: found.mean, kind: "filled" }], top, `${system.system}: ${shown(found.mean)}`), shown(found.mean), make("span", { class: "chart-n" }, `n = ${found.n}`))] : [];
  });
}

export function blindedPanel(manages: boolean, unblind: (() => void) | null): HTMLElement {
  const why = "Errors and times by system are hidden while the study runs, so that nobody stops it when the numbers please. Unblinding is recorded and cannot be undone.";
  const told = (text: string): HTMLElement => make("p", { class: "note" }, text);
  if (!manages) return panel("results", "Results by system", make("div", { class: "blinded" }, make("p", {}, why), told("This link is read-only. The managing link can unblind the study and export its data.")));
  const open = button("Unblind", "danger");
  open.disabled = unblind === null;
  open.addEventListener("click", () => unblind?.());
  return panel("results", "Results by system", make("div", { class: "blinded" }, make("p", {}, why), open, unblind ? null : told("Allow changes first.")));
}

function when(seconds: number, now: number): string {
  const date = new Date(seconds * 1000);
  const today = new Date(now * 1000).toDateString() === date.toDateString();
  return date.toLocaleString(undefined, today ? { hour: "2-digit", minute: "2-digit" } : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}

export function peoplePanel(people: readonly Person[], now: number, withdraw: ((alias: string) => void) | null): HTMLElement {
  const head = ["alias", "state", "list", "answers", "came", "last seen", ...(withdraw ? [""] : [])];
  const rows = people.map((person) => make("tr", {}, ...cells(person, now), withdraw ? make("td", {}, withdrawButton(person, withdraw)) : null));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...rows));
  return panel("people", "Participants", people.length ? make("div", { class: "table-holder", tabindex: 0, role: "region", "aria-label": "Table of participants" }, table) : make("p", { class: "note" }, "Nobody has agreed to take part yet."));
}

export function roomsPanel(rooms: readonly PlayedRoom[], now: number, fetchOne: ((file: string) => void) | null): HTMLElement {
  const head = ["room", "people", "came", "puzzle", "result", "minutes", "messages", ...(fetchOne ? [""] : [])];
  const rows = rooms.flatMap((room) => (room.why_not ? [deniedRow(room, now)] : room.puzzles.map((puzzle) => puzzleRow(room, puzzle, now, fetchOne))));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...rows));
  const how = make("p", { class: "note" }, "Each puzzle is a recording for `referee tangram`, each reference game a file for `referee play --played`; all of them are in the exported data, and `referee tangram export STUDY --all` writes them.");
  return panel("rooms", "Rooms and pairs", rooms.length ? make("div", {}, make("div", { class: "table-holder", tabindex: 0, role: "region", "aria-label": "Table of rooms and pairs" }, table), how) : make("p", { class: "note" }, "Nobody has played yet."));
}

function roomCells(room: PlayedRoom, now: number): HTMLElement[] {
  return [make("th", { scope: "row", title: room.id }, room.id.slice(0, 8)), make("td", {}, room.people.join(" and ")), make("td", {}, when(room.created, now))];
}

function deniedRow(room: PlayedRoom, now: number): HTMLElement {
  return make("tr", {}, ...roomCells(room, now), make("td", { colspan: 4 }, `not given out: ${room.why_not}`));
}

function puzzleRow(room: PlayedRoom, puzzle: Puzzle, now: number, fetchOne: ((file: string) => void) | null): HTMLElement {
  const done = [puzzle.goal, puzzle.result].map((text) => make("td", {}, text));
  const numbers = [(puzzle.seconds / 60).toFixed(1), String(puzzle.utterances)].map((text) => make("td", { class: "number" }, text));
  return make("tr", {}, ...roomCells(room, now), ...done, ...numbers, fetchOne ? make("td", {}, downloadButton(puzzle.file, fetchOne)) : null);
}

function downloadButton(file: string, fetchOne: (file: string) => void): HTMLElement {
  const take = button("Download", "quiet");
  take.setAttribute("aria-label", `Download ${file}`);
  take.addEventListener("click", () => fetchOne(file));
  return take;
}

function cells(person: Person, now: number): HTMLElement[] {
  const silent = UNDERWAY.includes(person.state) && now - person.last > SILENT_SECONDS;
  const word = silent ? "silent" : stateWord(person.state) + (person.outcome && !["completed", person.state].includes(person.outcome) ? ` (${person.outcome.replaceAll("_", " ")})` : "");
  return [
    make("th", { scope: "row" }, person.alias), make("td", {}, make("span", { class: `pill ${silent ? "silent" : person.state}` }, word)), make("td", {}, person.list),
    make("td", { class: "number" }, String(person.trials)), make("td", {}, when(person.entered, now)), make("td", {}, when(person.last, now)),
  ];
}

function withdrawButton(person: Person, withdraw: (alias: string) => void): HTMLElement | null {
  if (["withdrawn", "purged"].includes(person.state)) return null;
  const leave = button("Withdraw", "quiet");
  leave.setAttribute("aria-label", `Withdraw ${person.alias}`);
  leave.addEventListener("click", () => withdraw(person.alias));
  return leave;
}
