// Entry point: one step of a plan, shown as participants see it, for `referee study check`; nothing is sent or stored.

import { initJsPsych } from "jspsych";
import { make } from "../common/dom.ts";
import { speaker, type Strings } from "../common/strings.ts";
import { Frame } from "../participant/frame.ts";
import { askConsent, showEnding } from "../participant/screens.ts";
import type { StudyFacts, Step } from "../participant/plan.ts";
import { plainSurroundings } from "../plugins/parts/surroundings.ts";
import { loadPlugin, OWN } from "../plugins/own.ts";
import { trialOf } from "../plugins/table.ts";

interface Look {
  study: StudyFacts;
  strings: Strings;
  step: Step;
  least: number; // the shorter side of what is pressed, in CSS pixels
}

interface Seen {
  failed: string[]; // why the trial did not begin
  broken: string[]; // pictures that did not load
  offScreen: string[]; // objects that are not whole within the window
  cut: string[]; // texts that do not fit their boxes
  small: string[]; // buttons, cards and points of scales that are too small to be pressed
  wide: boolean; // whether the page is wider than its window
}

const settle = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

async function look({ study, strings, step, least }: Look): Promise<Seen> {
  const root = document.getElementById("app")!;
  const say = speaker(strings, study.language);
  const frame = new Frame(root, say);
  frame.introduce(study.title, study.language, study.direction, false);
  frame.setProgress(1, 3);
  frame.allowWithdrawal(async () => undefined);
  const around = { ...plainSurroundings(), say };
  const jsPsych = initJsPsych({ display_element: frame.stage, surroundings: around } as Parameters<typeof initJsPsych>[0]);
  const isOwn = step.plugin === OWN;
  const failures: string[] = [];
  const note = (error: unknown): void => void failures.push(error instanceof Error ? error.message : String(error));
  const { html, code } = step.parameters as Record<string, string>;
  try {
    if (step.plugin === "consent") void askConsent(frame, say, html!, code!, location.href);
    else if (step.plugin === "ending") showEnding(frame, say, { state: "coded", outcome: "completed", code, withdrawal_code: code, debriefing: html }, location.href);
    else {
      if (isOwn) await loadPlugin(step.parameters.script as string);
      jsPsych.run([trialOf(step)]).catch(note);
    }
  } catch (error) {
    note(error);
  }
  const first = isOwn ? ".own > *" : ".trial .panel:not(.waiting), .reading .description:not(.waiting), .page";
  for (let waits = 0; waits < 100 && !failures.length && !frame.stage.querySelector(first); waits++) await settle();
  if (step.parameters.filmed) showFilm();
  await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
  await settle();
  scrollTo(0, 0);
  return { failed: failures, ...measure(least) };
}

// A film that is not played, in the usual shape.
function showFilm(): void {
  const panel = document.querySelector(".panel")!;
  panel.classList.add("with-film");
  panel.prepend(make("div", { class: "medium" }, make("video", { class: "film", width: 640, height: 360 })));
}

function measure(least: number): Omit<Seen, "failed"> {
  const objects = [...document.querySelectorAll<HTMLElement>(".scene .entity, .stage .context, .own img, .own canvas, .own video")];
  const isOutside = (node: Element): boolean => {
    const box = node.getBoundingClientRect();
    return box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
  };
  const texts = [...document.querySelectorAll<HTMLElement>(".stage .words, .stage .caption, .stage .description, .stage .button, .stage .card, .stage label, .stage legend")];
  const pressed = [...document.querySelectorAll<HTMLElement>(".stage .button, .stage button.entity, .stage .card, .stage .option, .stage .point, .stage .slider, .own button, .own input")];
  const isSmall = (node: Element): boolean => {
    const box = node.getBoundingClientRect();
    return box.width > 0 && Math.min(box.width, box.height) < least - 0.5;
  };
  // A plug-in of the organisers' own may put words anywhere: those beside the window cannot be read.
  const isTextOutside = (node: Element): boolean => {
    const words = [...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim());
    return words.some((text) => {
      const range = document.createRange();
      range.selectNode(text);
      const box = range.getBoundingClientRect();
      return box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5);
    });
  };
  return {
    broken: [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src),
    offScreen: objects.filter(isOutside).map((node) => node.dataset.entity ?? `${node.tagName.toLowerCase()} of ${node.offsetWidth} x ${node.offsetHeight} px`),
    cut: [...document.querySelectorAll(".own *")].filter(isTextOutside).concat(texts.filter((node) => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)).map((node) => node.textContent ?? ""),
    small: pressed.filter(isSmall).map((node) => node.textContent ?? ""),
    wide: document.documentElement.scrollWidth > innerWidth + 1,
  };
}

Object.assign(window, { look });
