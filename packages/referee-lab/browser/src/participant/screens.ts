// The screens around the timeline: consent before it, waiting within it, the code after it.

import { button, make, onSingleClick } from "../common/dom.ts";
import { prose } from "../common/prose.ts";
import type { Say, StringName } from "../common/strings.ts";
import type { Frame } from "./frame.ts";
import type { Ending } from "./plan.ts";

function pressed(...buttons: HTMLButtonElement[]): Promise<HTMLButtonElement> {
  return new Promise((resolve) => {
    for (const one of buttons) {
      onSingleClick(one, () => {
        buttons.forEach((other) => (other.disabled = true));
        resolve(one);
      });
    }
  });
}

export function showWaiting(frame: Frame, text: string): { tell(share: number): void } {
  const bar = make("progress", { max: 1, "aria-label": text });
  frame.show(make("p", { class: "lead" }, text), bar);
  return { tell: (share) => void (bar.value = share) };
}

// The buttons stay in sight however long the text is; below it is what is needed to withdraw later.
export async function askConsent(frame: Frame, say: Say, html: string, code: string | null, address: string): Promise<boolean> {
  const [agree, decline] = [button(say("agree")), button(say("decline"), "quiet")];
  // Not in a box of its own, which is for what one has earned at the end.
  const later = code ? [make("p", { class: "later" }, say("withdraw_where"), " ", make("a", { href: address }, address), ": ", make("b", { class: "later-code" }, code))] : [];
  frame.show(make("article", { class: "prose" }, prose(html)), ...later, make("div", { class: "actions at-hand" }, decline, agree));
  return (await pressed(agree, decline)) === agree;
}

export async function askAgain(frame: Frame, say: Say, text: string, label: StringName): Promise<void> {
  const again = button(say(label));
  frame.show(make("p", { class: "lead", role: "alert" }, text), make("div", { class: "actions" }, again));
  await pressed(again);
}

export async function askAboutPictures(frame: Frame, say: Say): Promise<"retry" | "continue"> {
  const [again, anyway] = [button(say("retry")), button(say("continue_anyway"), "quiet")];
  frame.show(make("p", { class: "lead", role: "alert" }, say("preload_failed")), make("div", { class: "actions" }, anyway, again));
  return (await pressed(again, anyway)) === again ? "retry" : "continue";
}

// What cannot be heard cannot be answered: there is no going on without it. When the network is back the page tries by itself.
export async function askAboutSounds(frame: Frame, say: Say): Promise<void> {
  const again = button(say("retry"));
  frame.show(make("p", { class: "lead", role: "alert" }, say("media_failed")), make("div", { class: "actions" }, again));
  const back = new Promise<void>((resolve) => window.addEventListener("online", () => resolve(), { once: true }));
  await Promise.race([pressed(again), back]);
}

export async function askCode(frame: Frame, say: Say, problem: string): Promise<string> {
  const field = make("input", { id: "withdrawal-code", class: "field", type: "text", autocomplete: "off", spellcheck: "false", maxlength: 40 });
  const go = button(say("withdraw"), "danger");
  const label = make("label", { for: "withdrawal-code" }, say("withdraw_later_text"));
  frame.show(make("h1", {}, say("withdraw_later")), make("div", { class: "question-block" }, label, field), make("p", { class: "question", role: "alert" }, problem), make("div", { class: "actions" }, go));
  await pressed(go);
  return field.value.trim();
}

export function showNote(frame: Frame, text: string): void {
  frame.show(make("p", { class: "lead" }, text));
}

function withdrawalBox(say: Say, code: string, address: string): HTMLElement {
  const box = codeBox(say, "withdrawal_code", code);
  box.append(make("p", { class: "where" }, say("withdraw_where"), " ", make("a", { href: address }, address)));
  return box;
}

function codeBox(say: Say, label: StringName, code: string): HTMLElement {
  const copy = button(say("copy"), "quiet");
  const text = make("code", { class: "code" }, code);
  copy.addEventListener("click", () => {
    void navigator.clipboard?.writeText(code).then(() => (copy.textContent = say("copied")));
  });
  return make("section", { class: "code-box" }, make("p", {}, say(label)), make("div", { class: "code-row" }, text, copy));
}

function turkForm(say: Say, form: NonNullable<Ending["form"]>): HTMLElement {
  const fields = Object.entries(form.fields).map(([name, value]) => make("input", { type: "hidden", name, value }));
  return make("form", { method: "post", action: form.action, class: "actions" }, ...fields, make("button", { type: "submit", class: "button primary" }, say("submit_task")));
}

const WORDS: Record<string, StringName> = {
  coded: "finished", finished: "finished", declined: "declined", withdrawn: "withdrawn", purged: "purged", timed_out: "timed_out", partner_left: "partner_left",
  screened_out: "screened_out", failed_check: "failed_check", too_fast: "too_fast", full: "full", closed: "closed", device: "device", blocked: "blocked",
};

export function hasEnded(state: string): boolean {
  return state in WORDS && state !== "finished";
}

// The code stays on the screen for those whom the redirect does not reach.
export function showEnding(frame: Frame, say: Say, ending: Ending, address: string): void {
  const words = WORDS[ending.outcome ?? ""] ?? WORDS[ending.state] ?? "error";
  const parts: Node[] = [make("p", { class: "lead" }, say(words))];
  if (ending.code) parts.push(codeBox(say, "code", ending.code));
  if (ending.withdrawal_code) parts.push(withdrawalBox(say, ending.withdrawal_code, address));
  if (ending.form) parts.push(turkForm(say, ending.form));
  if (ending.redirect) parts.push(...redirection(say, ending.redirect));
  if (ending.debriefing) parts.push(make("article", { class: "prose after" }, prose(ending.debriefing)));
  frame.show(...parts);
}

// Nobody is taken away: the page stays until the person goes on.
function redirection(say: Say, address: string): Node[] {
  const link = make("a", { class: "button primary", href: address, rel: "noreferrer" }, say("redirect"));
  return [make("p", {}, say("redirect_soon")), make("div", { class: "actions" }, link)];
}
