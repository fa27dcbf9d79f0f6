// The screens around a puzzle: waiting with a clock and a paid way out, the moment between two puzzles, and the end.

import { button, make, onSingleClick, type Child } from "../common/dom.ts";
import type { Status } from "./wire.ts";
import type { Tell } from "./words.ts";

function show(stage: HTMLElement, kind: string, ...content: Child[]): void {
  const card = make("div", { class: `room-card ${kind}`, tabindex: -1 }, ...content);
  stage.replaceChildren(card);
  card.focus();
}

export function showNote(stage: HTMLElement, text: string): void {
  show(stage, "note", make("p", { class: "lead" }, text));
}

export function showWaiting(stage: HTMLElement, tell: Tell, timer: HTMLElement, quit: () => void, words = { title: tell("waiting"), text: tell("waiting_text") }): void {
  const leave = button(tell("leave_paid"), "quiet");
  onSingleClick(leave, quit);
  const dots = make("div", { class: "waiting-dots", "aria-hidden": "true" }, make("i"), make("i"), make("i"));
  const exit = make("div", { class: "waiting-exit" }, make("p", {}, tell("no_partner_yet")), leave);
  show(stage, "waiting-room", dots, make("h1", {}, words.title), make("p", {}, words.text), make("p", { class: "waiting-clock" }, timer), exit);
}

function verdict(tell: Tell, status: Status): Child[] {
  if (status.result === "solved") return [make("div", { class: "confetti", "aria-hidden": "true" }, ...Array.from({ length: 14 }, () => make("i"))), make("h1", { class: "cheer" }, tell("solved"))];
  return [make("h1", {}, tell("timeout")), make("p", {}, tell("timeout_text"))];
}

export function showBetween(stage: HTMLElement, tell: Tell, status: Status, picture: Node | null, ready: () => void): void {
  const next = button(tell("next"));
  onSingleClick(next, () => {
    next.disabled = true;
    ready();
  });
  const other = status.next_role === "solver" ? "swap_solver" : "swap_operator";
  const swap = status.swaps && status.next_role !== status.role ? make("div", { class: "swap" }, make("strong", {}, tell("swap")), make("span", {}, tell(other))) : null;
  const waiting = make("p", { class: "soft" }, tell("ready_waiting"));
  const frame = make("div", { class: "room-picture" }, picture);
  show(stage, "between", ...verdict(tell, status), frame, swap, status.ready ? waiting : make("div", { class: "actions" }, next));
}

export function showOver(stage: HTMLElement, tell: Tell, status: Status, picture: Node | null, leave: () => void): void {
  if (status.outcome !== "completed") {
    return show(stage, "left", make("h1", {}, status.outcome === "partner-left" ? tell("partner_left") : tell("waiting")), make("p", {}, tell("left_paid")));
  }
  const go = button(tell("done"));
  onSingleClick(go, () => {
    go.disabled = true;
    leave();
  });
  const told = status.result ? verdict(tell, status) : [];
  show(stage, "over", ...told, make("div", { class: "room-picture" }, picture), make("div", { class: "actions" }, go));
}
