// Messages with the times of their typing: when the first key was pressed, when the last one, and how many there were.

import { button, make } from "../common/dom.ts";
import type { Tell } from "./words.ts";

const RESTING_MS = 3000;

export interface Said {
  text: string;
  typing_start_ms: number;
  typing_end_ms: number;
  keystrokes: number;
}

export class Chat {
  readonly panel: HTMLElement;
  private readonly list = make("div", { class: "chat-list", role: "log", "aria-live": "polite" });
  private readonly typing = make("p", { class: "chat-typing", "aria-live": "polite" });
  private readonly field: HTMLInputElement;
  private start: number | null = null;
  private end = 0;
  private keys = 0;
  private isTyping = false;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly tell: Tell, private readonly say: (said: Said) => void, private readonly tellTyping: (typing: boolean) => void) {
    this.field = make("input", { class: "field chat-field", type: "text", maxlength: 1000, autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "send", placeholder: tell("message"), "aria-label": tell("message") });
    const send = button(tell("send"));
    send.type = "submit";
    const form = make("form", { class: "chat-form" }, this.field, send);
    form.addEventListener("submit", (event) => this.submit(event));
    this.field.addEventListener("input", (event) => this.note(event));
    this.panel = make("section", { class: "chat", "aria-label": tell("chat") }, make("h2", { class: "panel-title" }, tell("chat")), this.list, this.typing, form);
  }

  show(lines: readonly { mine: boolean; text: string; by: number | null }[]): void {
    this.list.replaceChildren();
    if (!lines.length) this.list.append(make("p", { class: "chat-empty" }, this.tell("chat_empty")));
    for (const line of lines) this.add(line.mine, line.text, line.by);
  }

  // `by` is the number of the player in a group; two people need none.
  add(mine: boolean, text: string, by: number | null): void {
    const who = mine ? this.tell("me") : by === null ? this.tell("partner") : this.tell("player", { n: by });
    this.list.querySelector(".chat-empty")?.remove();
    this.list.append(make("p", { class: mine ? "mine" : "theirs" }, make("span", { class: "chat-who" }, who), make("span", { class: "chat-text", dir: "auto" }, text)));
    this.scrollToEnd();
    if (!mine) this.showTyping(false);
  }

  scrollToEnd(): void {
    this.list.scrollTop = this.list.scrollHeight;
  }

  showTyping(typing: boolean): void {
    this.typing.textContent = typing ? this.tell("typing") : "";
  }

  private note(event: Event): void {
    const now = event.timeStamp;
    this.start ??= now;
    this.end = now;
    this.keys += 1;
    this.setTyping(this.field.value !== "");
    if (this.field.value === "") this.forget();
  }

  private setTyping(typing: boolean): void {
    clearTimeout(this.resting);
    if (typing) this.resting = setTimeout(() => this.setTyping(false), RESTING_MS);
    if (typing === this.isTyping) return;
    this.isTyping = typing;
    this.tellTyping(typing);
  }

  private forget(): void {
    [this.start, this.keys] = [null, 0];
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text) return;
    this.say({ text, typing_start_ms: this.start ?? event.timeStamp, typing_end_ms: this.end || event.timeStamp, keystrokes: this.keys });
    clearTimeout(this.resting);
    this.isTyping = false;
    this.field.value = "";
    this.forget();
  }
}
