// The organisers' dashboard: asks every few seconds, redraws only what has changed, and changes nothing unless it is told to.

import { button, make } from "../common/dom.ts";
import { Refusal, wordsOf } from "../common/server.ts";
import { studyAt } from "../common/study-address.ts";
import { takeToken } from "../common/token.ts";
import { OrganiserApi, type Person, type PlayedRoom, type Progress, type Quality, type SystemResult } from "./api.ts";
import { blindedPanel, dropoutsPanel, listsPanel, panel, peoplePanel, qualityPanel, resultsPanel, roomsPanel, statesPanel, tiles } from "./panels.ts";

const EVERY_MS = 4000;
const PARTS = ["tiles", "lists", "funnel", "quality", "dropouts", "results", "rooms", "people"] as const;
type Part = (typeof PARTS)[number];

export class Dashboard {
  private readonly address = studyAt(location.pathname);
  private api: OrganiserApi | null = null;
  private readonly drawn = new Map<Part, string>();
  private readonly places = new Map<Part, HTMLElement>();
  private readonly title = make("h1", {}, "Study");
  private readonly mode = make("span", { class: "pill" });
  private readonly status = make("p", { class: "live", role: "status" }, "…");
  private readonly changes = make("input", { type: "checkbox", id: "changes", role: "switch" });
  private readonly toggle = make("label", { class: "switch", for: "changes", hidden: true }, this.changes, make("span", {}, "Allow changes"));
  private readonly download = button("Export data", "quiet");
  private readonly dialog = make("dialog", { class: "dialog" });
  private readonly warning = make("p", { class: "notice", role: "alert", hidden: true });
  private readonly note = make("p", { class: "notice", role: "alert", hidden: true });

  constructor(private readonly root: HTMLElement) {
    for (const part of PARTS) this.places.set(part, make("div", { class: `place place-${part}` }));
  }

  start(): void {
    const token = takeToken(`referee/organiser/${this.address.study}`);
    if (!token) return this.askToken("This page needs the organiser's link, with the token after the #.");
    this.api = new OrganiserApi(this.address.base, token);
    this.layOut();
    void this.keepLooking();
  }

  private layOut(): void {
    this.download.hidden = true;
    this.download.addEventListener("click", () => void this.attempt(() => this.fetchData()));
    this.changes.addEventListener("change", () => {
      this.drawn.clear();
      void this.look();
    });
    const bar = make("header", { class: "top" }, make("div", { class: "top-title" }, this.title, this.mode), this.status, make("div", { class: "top-actions" }, this.toggle, this.download));
    this.root.replaceChildren(bar, this.warning, this.note, make("main", { class: "board" }, ...this.places.values()), this.dialog);
  }

  private async keepLooking(): Promise<void> {
    while (this.api) {
      if (document.visibilityState === "visible") await this.look();
      await new Promise((resolve) => void setTimeout(resolve, EVERY_MS));
    }
  }

  private async look(): Promise<void> {
    const api = this.api;
    if (!api) return;
    try {
      const [progress, { participants }, quality, { rooms }] = await Promise.all([api.progress(), api.participants(), api.quality(), api.rooms()]);
      const systems = progress.unblinded ? (await api.results()).systems : null;
      this.draw(progress, participants, quality, systems);
      if (rooms) this.drawRooms(rooms, progress);
      this.status.textContent = `live, ${new Date().toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })}`;
      this.status.classList.remove("lost");
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) return this.askToken(wordsOf(error));
      this.status.textContent = "no answer from the server, trying again…";
      this.status.classList.add("lost");
    }
  }

  private draw(progress: Progress, people: Person[], quality: Quality, systems: SystemResult[] | null): void {
    const { now, ...steady } = progress;
    const minute = Math.floor(now / 60);
    this.title.textContent = progress.study.title;
    this.warning.textContent = (progress.warnings ?? []).join(" ");
    this.warning.hidden = !progress.warnings?.length;
    this.mode.textContent = progress.study.mode;
    document.title = `${progress.study.title}: organiser`;
    const manages = progress.right === "manage";
    const may = manages && this.changes.checked;
    this.toggle.hidden = !manages;
    this.offerData(manages || progress.unblinded);
    this.redraw("tiles", [steady, people, minute], () => tiles(progress, people));
    this.redraw("lists", progress.lists, () => listsPanel(progress));
    this.redraw("funnel", steady, () => statesPanel(progress));
    this.redraw("quality", quality, () => qualityPanel(quality));
    this.redraw("dropouts", [steady, people, minute], () => dropoutsPanel(progress, people));
    this.redraw("results", [systems, may], () => (systems ? resultsPanel(systems) : blindedPanel(manages, may ? () => this.unblind() : null)));
    this.redraw("people", [people, may, minute], () => peoplePanel(people, now, may ? (alias) => this.withdraw(alias) : null));
  }

  private drawRooms(rooms: PlayedRoom[], progress: Progress): void {
    const fetchOne = progress.right === "manage" ? (file: string): void => void this.attempt(() => this.fetchRecording(file)) : null;
    this.redraw("rooms", [rooms, progress.right, Math.floor(progress.now / 60)], () => roomsPanel(rooms, progress.now, fetchOne));
  }

  // The data name the systems.
  private offerData(allowed: boolean): void {
    this.download.hidden = false;
    this.download.disabled = !allowed;
    this.download.title = allowed ? "Everything as tidy tables, with codebook and checksums; no names of people. Taking it is recorded." : "The data name the systems: until the study is unblinded, only the managing link gives them.";
  }

  private redraw(part: Part, data: unknown, drawPart: () => HTMLElement): void {
    const seen = JSON.stringify(data);
    if (this.drawn.get(part) === seen) return;
    this.drawn.set(part, seen);
    this.places.get(part)!.replaceChildren(drawPart());
  }

  private unblind(): void {
    this.confirm("Unblind this study?", "From now on everybody with the link sees errors and times by system. This is recorded in the study's log and cannot be undone.", "Unblind", () => this.api!.unblind());
  }

  private withdraw(alias: string): void {
    this.confirm(`Withdraw ${alias}?`, "Their answers leave all exports at once and are deleted after the announced delay. This cannot be undone.", "Withdraw", () => this.api!.withdraw(alias));
  }

  private confirm(title: string, text: string, yes: string, act: () => Promise<unknown>): void {
    const [cancel, go] = [button("Cancel", "quiet"), button(yes, "danger")];
    this.dialog.setAttribute("aria-label", title);
    this.dialog.replaceChildren(make("h2", {}, title), make("p", {}, text), make("div", { class: "actions" }, cancel, go));
    cancel.addEventListener("click", () => this.dialog.close());
    go.addEventListener("click", () => {
      this.dialog.close();
      void this.attempt(act).then(() => this.look());
    });
    this.dialog.showModal();
    cancel.focus();
  }

  private async attempt(act: () => Promise<unknown>): Promise<void> {
    this.note.hidden = true;
    try {
      await act();
    } catch (error) {
      this.note.textContent = wordsOf(error);
      this.note.hidden = false;
    }
  }

  private async fetchData(): Promise<void> {
    this.save(await this.api!.data(), `${this.address.study}.zip`);
  }

  private async fetchRecording(file: string): Promise<void> {
    this.save(await this.api!.recording(file), file);
  }

  private save(content: Blob, name: string): void {
    const address = URL.createObjectURL(content);
    const link = make("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  private askToken(message: string): void {
    this.api = null;
    const field = make("input", { id: "token", class: "field", type: "password", autocomplete: "off" });
    const form = make("form", { class: "token" }, make("label", { for: "token" }, "Token"), field, make("button", { type: "submit", class: "button primary" }, "Open"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      location.hash = field.value.trim();
      location.reload();
    });
    this.root.replaceChildren(make("main", { class: "board alone" }, panel("token-panel", "Organiser", make("p", {}, message), form)));
  }
}
