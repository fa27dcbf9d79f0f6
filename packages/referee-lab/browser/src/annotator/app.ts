// The annotator's page: choose a recording, go from utterance to utterance, hear the replay, mark. Nothing is lost on the way: each change is saved at once.

import { make } from "../common/dom.ts";
import { Film } from "../replay/film.ts";
import { piecesOn } from "../tangram/board.ts";
import { Player } from "../replay/player.ts";
import { Transcript } from "../replay/transcript.ts";
import { screenFrames } from "../timing/frames.ts";
import { DeskApi, type DeskFacts, type Mark, type Sheet } from "./api.ts";
import { Editor } from "./editor.ts";
import { unfinished } from "./marks.ts";

const BEFORE_MS = 4000;

interface Undo {
  utterance: number;
  marks: Mark[] | null;
  done: boolean;
}

export class AnnotatorApp {
  private readonly api: DeskApi;
  private facts: DeskFacts | null = null;
  private sheet: Sheet | null = null;
  private number = 0;
  private place = 0;
  private past: Undo[] = [];
  private editor: Editor | null = null;
  private player: Player | null = null;
  private transcript: Transcript | null = null;
  private readonly status = make("span", { class: "save-state", role: "status" }, "saved");
  private readonly progress = make("span", { class: "progress-told" });
  private readonly picker = make("select", { class: "control", "aria-label": "Recording" });
  private readonly work = make("main", { class: "desk" });

  constructor(private readonly root: HTMLElement, token: string) {
    this.api = new DeskApi(token, (unsaved, problem) => this.tellSaving(unsaved, problem));
  }

  async start(): Promise<void> {
    this.facts = await this.api.desk();
    const { annotator, beside } = this.facts;
    const who = beside.length ? `Deciding between ${beside.join(" and ")}` : `Annotator: ${annotator}`;
    const step = (sign: string, label: string, act: () => void): HTMLElement => {
      const node = make("button", { type: "button", class: "control", title: label, "aria-label": label }, sign);
      node.addEventListener("click", act);
      return node;
    };
    this.picker.addEventListener("change", () => void this.open(Number(this.picker.value)));
    const bar = make(
      "header", { class: "desk-bar" }, make("h1", {}, who), this.picker, this.progress,
      make("span", { class: "desk-steps" }, step("‹", "Previous unfinished (B)", () => this.goUnfinished(-1)), step("›", "Next unfinished (N)", () => this.goUnfinished(1)), step("Undo", "Undo (Ctrl Z)", () => this.undo())), this.status,
    );
    const help = make("p", { class: "keys-help" }, "← → words (Shift extends), Enter marks, 1–7 referents, 0 unclear, letters attributes, Tab next expression, ⌫ removes, V done and next, N B unfinished, ↑ ↓ utterances, L hear, Space plays, Ctrl Z undo.");
    this.root.replaceChildren(bar, this.work, help);
    document.addEventListener("keydown", (event) => this.press(event));
    const first = this.facts.recordings.findIndex((one) => one.done < one.utterances);
    await this.open(Math.max(first, 0));
  }

  private async open(number: number): Promise<void> {
    const sheet = await this.api.sheet(number);
    this.player?.projector.pause();
    [this.number, this.sheet, this.past] = [number, sheet, []];
    const film = new Film(sheet.film);
    this.transcript = new Transcript(sheet.utterances, (_, place) => this.go(place));
    this.player = new Player(film, screenFrames, () => undefined);
    this.player.showNumbers(true);
    this.editor = new Editor(this.facts!.attributes, {
      change: (marks, done) => this.save(marks, done),
      finish: () => this.finish(),
      listen: () => this.listen(),
      lit: (pieces) => this.player?.projector.view.mark("lit", pieces),
    }, piecesOn(sheet.film.state));
    this.work.replaceChildren(make("div", { class: "desk-left" }, this.player.node, this.transcript.node), this.editor.node);
    const first = sheet.utterances.findIndex((one) => one.asked && !one.done);
    this.markLines();
    this.go(first < 0 ? Math.max(sheet.utterances.findIndex((one) => one.asked), 0) : first);
  }

  private go(place: number): void {
    const utterance = this.sheet?.utterances[place];
    if (!utterance || !this.editor) return;
    this.place = place;
    this.player?.projector.pause();
    this.player?.seek(utterance.start_ms);
    this.transcript?.follow(utterance.shown_ms);
    this.editor.show(utterance, place, this.sheet!.utterances.length);
  }

  private goBy(by: 1 | -1): void {
    const rows = this.sheet?.utterances ?? [];
    let next = this.place + by;
    while (rows[next] && !rows[next]!.asked) next += by;
    if (rows[next]) this.go(next);
  }

  private goUnfinished(by: 1 | -1): void {
    const rows = this.sheet?.utterances ?? [];
    for (let i = 1; i <= rows.length; i++) {
      const place = (this.place + by * i + rows.length * i) % rows.length;
      if (rows[place]!.asked && !rows[place]!.done) return this.go(place);
    }
    const other = this.facts?.recordings.findIndex((one, n) => n !== this.number && one.done < one.utterances) ?? -1;
    if (other >= 0) void this.open(other);
    else this.editor?.show(rows[this.place]!, this.place, rows.length);
  }

  private listen(): void {
    const utterance = this.sheet?.utterances[this.place];
    if (!utterance || !this.player) return;
    this.player.seek(utterance.start_ms - BEFORE_MS);
    this.player.projector.play();
  }

  // A decision between two is made by taking or marking something, never by passing on.
  private finish(): void {
    const utterance = this.sheet?.utterances[this.place];
    if (utterance?.others && utterance.marks === null) return this.goUnfinished(1);
    const open = unfinished(this.editor?.current ?? []);
    if (open) return this.editor!.complain(open);
    this.save(this.editor?.current ?? [], true);
    this.goUnfinished(1);
  }

  private save(marks: readonly Mark[], done: boolean): void {
    const utterance = this.sheet?.utterances[this.place];
    if (!utterance) return;
    this.past.push({ utterance: this.place, marks: utterance.marks, done: utterance.done });
    this.put(this.place, [...marks], done);
  }

  // What is on file cannot be unwritten: an utterance that was untouched goes back to its proposals, saved as not finished.
  private undo(): void {
    const last = this.past.pop();
    const utterance = last && this.sheet?.utterances[last.utterance];
    if (!last || !utterance) return;
    this.put(last.utterance, last.marks ?? utterance.proposed ?? [], last.done);
    this.go(last.utterance);
  }

  private put(place: number, marks: Mark[], done: boolean): void {
    const utterance = this.sheet!.utterances[place]!;
    Object.assign(utterance, { marks, done });
    void this.api.save(this.number, place, marks, done);
    this.markLines();
  }

  private markLines(): void {
    const rows = this.sheet?.utterances ?? [];
    const asked = rows.filter((one) => one.asked);
    const done = asked.filter((one) => one.done).length;
    rows.forEach((one, i) => {
      const line = this.transcript?.line(i);
      line?.classList.toggle("line-done", one.done);
      line?.classList.toggle("line-open", one.asked && !one.done);
    });
    this.facts!.recordings[this.number]!.done = done;
    this.progress.textContent = `${done} of ${asked.length} utterances`;
    this.picker.replaceChildren(...this.facts!.recordings.map((one, i) => make("option", { value: i, selected: i === this.number }, `${one.session} (${one.done}/${one.utterances})`)));
    this.picker.value = String(this.number);
  }

  private press(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && event.target.closest("select, input[type=range]");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") return this.act(event, () => this.undo());
    if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") return this.act(event, () => this.player?.toggle());
    const own: Record<string, () => void> = {
      "ArrowDown": () => this.goBy(1), "ArrowUp": () => this.goBy(-1), "n": () => this.goUnfinished(1), "b": () => this.goUnfinished(-1), "v": () => this.finish(), "l": () => this.listen(),
      ",": () => this.player?.projector.step(-1), ".": () => this.player?.projector.step(1),
    };
    if (own[event.key]) return this.act(event, own[event.key]!);
    this.editor?.press(event);
  }

  private act(event: KeyboardEvent, what: () => void): void {
    event.preventDefault();
    what();
  }

  private tellSaving(unsaved: number, problem: string | null): void {
    this.status.textContent = problem ?? (unsaved ? "saving …" : "saved");
    this.status.classList.toggle("trouble", problem !== null);
  }
}
