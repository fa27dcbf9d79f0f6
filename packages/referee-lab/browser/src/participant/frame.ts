// What surrounds every page of a study: how far one is, whether all is saved, whether the network is there, and the way out.

import { button, make, onSingleClick } from "../common/dom.ts";
import type { Say } from "../common/strings.ts";
import { INTERRUPTION } from "../timing/watch.ts";

export class Frame {
  readonly stage: HTMLElement;
  private readonly title = make("span", { class: "bar-title" });
  private readonly heading = make("h1", { class: "only-heard" });
  private readonly mode = make("span", { class: "bar-mode" });
  private readonly filled = make("span", { class: "progress-filled" });
  private readonly progress = make("div", { class: "progress", role: "progressbar", "aria-valuemin": 0 }, this.filled);
  private readonly status = make("span", { class: "status", role: "status" });
  private readonly leave = button("", "quiet");
  private readonly banner = make("p", { class: "banner", role: "alert", hidden: true });
  private readonly dialog = make("dialog", { class: "dialog", "aria-labelledby": "withdraw-title" });
  private say: Say;
  private trouble: "offline" | "crowded" | null = null;

  constructor(root: HTMLElement, say: Say) {
    this.say = say;
    this.stage = make("div", { class: "stage", id: "stage" });
    const bar = make("header", { class: "bar" }, make("div", { class: "bar-names" }, this.title, this.mode), this.status, this.leave, this.progress);
    root.replaceChildren(bar, this.banner, make("main", {}, this.stage), this.dialog);
    this.leave.hidden = this.progress.hidden = true;
    new MutationObserver(() => this.keepHeading()).observe(this.stage, { childList: true, subtree: true });
    this.keepHeading();
    window.addEventListener("offline", () => this.setTrouble("offline"));
    window.addEventListener("online", () => this.setTrouble(null));
    this.translate(say);
  }

  // Every page has one heading of the first rank; where the stage shows none (a trial, a note), it is the study's title, for those who listen.
  private keepHeading(): void {
    if (this.stage.querySelector("h1")) this.heading.remove();
    else if (!this.heading.isConnected) this.stage.before(this.heading);
  }

  translate(say: Say): void {
    this.say = say;
    this.leave.textContent = say("withdraw");
    this.progress.setAttribute("aria-label", say("progress", { n: "", of: "" }).trim());
  }

  introduce(title: string, language: string, direction: string, debug: boolean): void {
    document.documentElement.lang = language;
    document.documentElement.dir = direction;
    document.title = title;
    this.title.textContent = this.heading.textContent = title;
    this.mode.textContent = debug ? this.say("debug_mode") : "";
  }

  show(...content: (Node | string)[]): void {
    this.stage.replaceChildren(make("div", { class: "page" }, ...content));
    const heading = this.stage.querySelector<HTMLElement>("h1, h2, p");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus();
    window.scrollTo(0, 0);
  }

  setProgress(n: number, of: number): void {
    this.progress.hidden = false;
    this.progress.setAttribute("aria-valuemax", String(of));
    this.progress.setAttribute("aria-valuenow", String(n));
    this.progress.setAttribute("aria-valuetext", this.say("progress", { n, of }));
    this.filled.style.inlineSize = `${of ? (100 * n) / of : 0}%`;
  }

  setSaving(pending: number, failing: boolean, crowded = false): void {
    this.status.textContent = this.say(pending ? "saving" : "saved");
    this.status.classList.toggle("busy", pending > 0);
    this.status.classList.toggle("slow", failing);
    this.setTrouble(failing && pending > 0 ? (crowded ? "crowded" : "offline") : navigator.onLine ? null : "offline");
  }

  // Between the page and its server: no connection, or a server that has too much to do.
  setTrouble(trouble: "offline" | "crowded" | null): void {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.banner.textContent = trouble ? this.say(trouble) : "";
    this.banner.hidden = trouble === null;
  }

  // Without an action there is no button.
  allowWithdrawal(withdraw: (() => Promise<void>) | null): void {
    this.leave.hidden = withdraw === null;
    this.leave.onclick = withdraw && (() => this.askWithdrawal(withdraw));
  }

  private askWithdrawal(withdraw: () => Promise<void>): void {
    document.dispatchEvent(new Event(INTERRUPTION));
    const { say } = this;
    const [yes, no] = [button(say("withdraw_yes"), "danger"), button(say("withdraw_no"), "quiet")];
    const note = make("p", { class: "question", role: "alert" });
    this.dialog.replaceChildren(make("h2", { id: "withdraw-title" }, say("withdraw_title")), make("p", {}, say("withdraw_text")), note, make("div", { class: "actions" }, no, yes));
    onSingleClick(no, () => this.dialog.close());
    onSingleClick(yes, () => {
      yes.disabled = true;
      note.textContent = say("saving");
      withdraw().then(() => this.dialog.close(), () => {
        yes.disabled = false;
        note.textContent = say("withdraw_failed");
      });
    });
    this.dialog.showModal();
    no.focus();
  }
}
