// A participant's way through a study: enter, agree, calibrate, load, play, finish; and every way out of it.

import { isCrowded, mayPass, pageWaiting, pauseAfter } from "../common/patience.ts";
import { Refusal } from "../common/server.ts";
import { loadMedia } from "../plugins/parts/media.ts";
import { loadPlugin } from "../plugins/own.ts";
import { plainSurroundings, type Surroundings } from "../plugins/parts/surroundings.ts";
import { speaker, type Say } from "../common/strings.ts";
import { visit } from "../room/visit.ts";
import { screenFrames } from "../timing/frames.ts";
import { readAddress } from "./address.ts";
import { backToRoom, interruptedBody, planAgenda } from "./agenda.ts";
import { Api } from "./api.ts";
import { calibrate, describeClient } from "./calibration.ts";
import { Frame } from "./frame.ts";
import { Memory, takeTabName } from "./memory.ts";
import { letterOf, openOutbox, type Letter, type Outbox } from "./outbox.ts";
import type { Ending, Entrance, Plan } from "./plan.ts";
import { loadPicture, preload } from "./preload.ts";
import { askAboutPictures, askAboutSounds, askAgain, askCode, askConsent, hasEnded, showEnding, showNote, showWaiting } from "./screens.ts";
import { Sender } from "./sender.ts";
import { Play } from "./timeline.ts";

export class App {
  private readonly address = readAddress(location);
  private readonly memory = new Memory(() => localStorage, `referee/${this.address.study}/`);
  private readonly api = new Api(this.address.base, takeTabName(new Memory(() => sessionStorage, `referee/${this.address.study}/`)));
  private readonly channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(`referee/${this.address.study}`) : null;
  private say: Say = speaker();
  private readonly frame: Frame;
  private readonly around: Surroundings = plainSurroundings();
  private sender: Sender | null = null;
  private play: Play | null = null;
  private over = false;
  private forgets = false;

  constructor(root: HTMLElement) {
    this.frame = new Frame(root, this.say);
    visit.introduce({ base: this.address.base, token: () => this.api.token, tab: this.api.tab, server: this.api.server });
    this.channel?.addEventListener("message", (event) => {
      if (event.data?.claimed && event.data.claimed !== this.api.tab && this.api.token) void this.giveWay();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.sender?.part();
    });
    window.addEventListener("online", () => this.sender?.hurry());
    window.addEventListener("beforeunload", (event) => {
      if (this.sender?.pending && !this.over) event.preventDefault();
    });
  }

  async run(): Promise<void> {
    try {
      await this.proceed();
    } catch (error) {
      await this.explain(error);
    }
  }

  private async proceed(): Promise<void> {
    showNote(this.frame, this.say("loading"));
    if (this.address.leaving) return this.withdrawByCode();
    if (this.address.preview) return showNote(this.frame, this.say("preview"));
    this.api.token = this.memory.get("token");
    const entrance = await this.patiently(() => this.api.enter(this.address.platform, this.address.mode, this.address.debugKey));
    this.greet(entrance);
    if (hasEnded(entrance.state)) return this.end(entrance);
    if (entrance.state === "entered" && entrance.full) return this.end(entrance.full);
    if (entrance.other_tab) return this.offerClaim();
    if (entrance.state === "entered" && !(await this.settleConsent(entrance))) return;
    this.frame.allowWithdrawal(() => this.withdraw());
    if (entrance.state !== "finished" || !(await this.finish())) await this.perform(entrance);
  }

  private greet(entrance: Entrance): void {
    this.forgets = entrance.forgets ?? false;
    this.keepToken(entrance.token);
    this.speak(entrance.strings ?? {}, entrance.study.language);
    const { title, language, direction, mode } = entrance.study;
    this.frame.introduce(title, language, direction, mode === "debug" || this.address.mode === "debug");
  }

  private speak(strings: Record<string, string | undefined>, language: string): void {
    this.say = this.around.say = speaker(strings, language);
    this.frame.translate(this.say);
  }

  private async settleConsent(entrance: Entrance): Promise<boolean> {
    for (let { consent } = entrance; ; ) {
      const agreed = await askConsent(this.frame, this.say, consent.html, entrance.withdrawal_code ?? null, this.leavingAddress());
      try {
        const reply = await this.patiently(() => this.api.consent(agreed, consent.hash));
        this.keepToken(reply.token);
        if (hasEnded(reply.state)) this.end(reply);
        return !hasEnded(reply.state);
      } catch (error) {
        if (!(error instanceof Refusal) || error.problem !== "consent-changed") throw error;
        consent = error.more.consent as Entrance["consent"];
      }
    }
  }

  private keepToken(token: string | undefined): void {
    if (token) this.api.token = token;
    this.memory.set("token", this.api.token);
  }

  // A consent text that was changed meanwhile has to be read again before anything goes on.
  private async fetchPlan(entrance: Entrance): Promise<Plan> {
    for (;;) {
      try {
        const plan = await this.patiently(() => this.api.plan());
        this.keepToken(plan.token);
        return plan;
      } catch (error) {
        if (!(error instanceof Refusal) || error.problem !== "consent-again") throw error;
        if (!(await this.settleConsent(entrance))) throw error;
      }
    }
  }

  private async perform(entrance: Entrance): Promise<void> {
    showNote(this.frame, this.say("calibrating"));
    const calibration = await calibrate(screenFrames);
    this.around.frameInterval = calibration.frame_ms;
    const plan = await this.fetchPlan(entrance);
    await this.patiently(() => this.api.client(describeClient(calibration)));
    this.speak(plan.strings, plan.study.language);
    this.prepareSound(plan);
    this.around.failedPictures = await this.loadPictures(plan);
    await Promise.all([...new Set(plan.steps.map((step) => step.parameters.script))].filter((script) => typeof script === "string").map(loadPlugin));
    this.holdPage();
    const box = await openOutbox(plan.study.id);
    for (let round = await this.open(plan, box); ; round = await this.reopen(entrance, box)) {
      this.play = new Play(round.plan, round.agenda, { frame: this.frame, box, sender: this.sender!, around: this.around, simulation: this.simulation(plan), end: (ending) => this.stopAt(ending) });
      await this.play.run();
      if (this.over || (await this.finish())) return;
    }
  }

  // What lies in the box from before goes first; a trial that was on the screen is reported as interrupted.
  private async open(plan: Plan, box: Outbox): Promise<{ plan: Plan; agenda: ReturnType<typeof planAgenda> }> {
    if (plan.policy.resume === "restart") await box.forget(plan.alias);
    const underway = await box.underway(plan.alias);
    if (underway) await box.end(plan.alias, letterOf(plan.alias, underway.uuid, interruptedBody(underway, performance.now())));
    this.sender = new Sender(this.api, box);
    this.sender.onState = ({ pending, failing, crowded }) => this.frame.setSaving(pending, failing, crowded);
    this.sender.onFatal = (refusal) => void this.explain(refusal);
    const letters: Letter[] = await this.sender.load(plan.alias);
    return { plan, agenda: backToRoom(planAgenda(plan, letters), underway) };
  }

  // Some answers were refused: the server says what it has, and the rest is asked again.
  private async reopen(entrance: Entrance, box: Outbox): Promise<{ plan: Plan; agenda: ReturnType<typeof planAgenda> }> {
    this.sender?.stop();
    return this.open(await this.fetchPlan(entrance), box);
  }

  private async finish(): Promise<boolean> {
    showNote(this.frame, this.say("saving"));
    await this.sender?.room(1);
    if (this.over) return true;
    try {
      this.end(await this.patiently(() => this.api.finish()));
      return true;
    } catch (error) {
      if (!(error instanceof Refusal) || error.problem !== "missing") throw error;
      if (this.sender?.refused.length) await askAgain(this.frame, this.say, this.say("error"), "retry");
      return false;
    }
  }

  // An answer has ended the session: nothing more is asked.
  private stopAt(ending: Ending): void {
    this.end(ending);
    this.play?.stop();
    showEnding(this.frame, this.say, ending, this.leavingAddress());
  }

  private leavingAddress(): string {
    return `${location.origin}${location.pathname}?withdraw`;
  }

  private end(ending: Ending): void {
    this.over = true;
    if (this.forgets) this.memory.set("token", null);
    this.sender?.stop();
    const gone = ["declined", "withdrawn", "purged"].includes(ending.state);
    if (gone) this.frame.allowWithdrawal(null);
    else this.frame.allowWithdrawal(() => this.withdraw());
    showEnding(this.frame, this.say, ending, this.leavingAddress());
  }

  private async withdraw(): Promise<void> {
    const ending = await this.api.withdraw();
    this.play?.stop();
    this.end({ ...ending, state: "withdrawn", outcome: "withdrawn" });
  }

  // For those who have finished, from any device: the study's address with ?withdraw.
  private async withdrawByCode(): Promise<void> {
    for (let problem = ""; ; ) {
      const code = await askCode(this.frame, this.say, problem);
      try {
        return this.end(await this.patiently(() => this.api.withdrawByCode(code)));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problem = error.problem === "nobody" || error.problem === "malformed" ? this.say("withdraw_unknown") : error.message;
      }
    }
  }

  private async loadPictures(plan: Plan): Promise<Set<string>> {
    const heard = new Map((plan.media ?? []).map((media) => [media.src, media]));
    const load = async (address: string): Promise<void> => {
      const media = heard.get(address);
      if (media) this.around.loaded.set(address, await loadMedia(media, this.around.audio));
      else await loadPicture(address);
    };
    let left = [...plan.pictures, ...heard.keys()];
    for (;;) {
      const waiting = showWaiting(this.frame, this.say(heard.size ? "preloading_media" : "preloading"));
      left = await preload(left, (done) => waiting.tell(done / Math.max(1, left.length)), load);
      if (left.some((address) => heard.has(address))) await askAboutSounds(this.frame, this.say);
      else if (!left.length || (await askAboutPictures(this.frame, this.say)) === "continue") return new Set(left);
    }
  }

  // Browsers want a gesture before they make a sound.
  private prepareSound(plan: Plan): void {
    if (!plan.steps.some((step) => step.parameters.bell || step.parameters.media) || typeof AudioContext !== "function") return;
    const audio = (this.around.audio ??= new AudioContext());
    const wake = (): void => void audio.resume();
    for (const gesture of ["pointerdown", "keydown"]) document.addEventListener(gesture, wake, { once: true });
  }

  // The back button leads to where one is.
  private holdPage(): void {
    history.pushState(null, "");
    window.addEventListener("popstate", () => {
      if (!this.over) history.pushState(null, "");
    });
  }

  private simulation(plan: Plan): "data-only" | "visual" | null {
    const wished = this.address.simulation;
    const tryout = plan.study.mode === "debug" || this.address.mode === "debug";
    return tryout && (wished === "data-only" || wished === "visual") ? wished : null;
  }

  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        const answer = await ask();
        this.frame.setTrouble(null);
        return answer;
      } catch (error) {
        if (!mayPass(error)) throw error;
        this.frame.setTrouble(isCrowded(error) ? "crowded" : "offline");
        await pageWaiting.sleep(pauseAfter(error, failures, pageWaiting.random()));
      }
    }
  }

  private async explain(error: unknown): Promise<void> {
    if (this.over) return;
    if (!(error instanceof Refusal)) return this.offerReload(error);
    if (error.problem === "other-tab") return this.play ? this.giveWay() : this.offerClaim();
    this.stopPlaying();
    if (error.status === 401 || error.problem === "consent-first") return this.beginAnew();
    if (error.problem === "withdrawn") return this.end({ state: "withdrawn" });
    if (["full", "closed", "device"].includes(error.problem)) return this.end({ ...(error.more as object), state: error.problem, outcome: error.problem });
    await askAgain(this.frame, this.say, error.message || this.say("error"), "retry");
    location.reload();
  }

  private stopPlaying(): void {
    this.sender?.stop();
    this.play?.stop();
  }

  // A token that is no longer known is forgotten, once; the link leads in again.
  private async beginAnew(): Promise<void> {
    const had = this.memory.get("token") !== null;
    this.memory.set("token", null);
    if (!had) await askAgain(this.frame, this.say, this.say("error"), "retry");
    location.reload();
  }

  private async offerReload(error: unknown): Promise<void> {
    console.error(error);
    this.stopPlaying();
    await askAgain(this.frame, this.say, this.say("error"), "retry");
    location.reload();
  }

  private async offerClaim(): Promise<void> {
    await askAgain(this.frame, this.say, this.say("other_tab"), "continue_here");
    await this.claim();
  }

  private async claim(): Promise<void> {
    await this.patiently(() => this.api.claim());
    this.memory.set("token", this.api.token);
    this.channel?.postMessage({ claimed: this.api.tab });
    this.over = true;
    location.reload();
  }

  private async giveWay(): Promise<void> {
    if (this.over) return;
    this.stopPlaying();
    this.frame.allowWithdrawal(null);
    await askAgain(this.frame, this.say, this.say("closed_here"), "continue_here");
    await this.claim();
  }
}
