// Entry point: one step of a plan, shown as participants see it, for `referee study check`; nothing is sent or stored.

import { initJsPsych } from "jspsych";
import { speaker, type Strings } from "../common/strings.ts";
import { Frame } from "../participant/frame.ts";
import type { StudyFacts, Step } from "../participant/plan.ts";
import { plainSurroundings } from "../plugins/parts/surroundings.ts";
import { PLUGINS } from "../plugins/table.ts";

interface Look {
  study: StudyFacts;
  strings: Strings;
  step: Step;
  least: number; // the shorter side of what is pressed, in CSS pixels
}

interface Seen {
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
  const plugin = PLUGINS[step.plugin]!;
  const parameters = Object.fromEntries(Object.entries(step.parameters).filter(([name]) => name in plugin.info.parameters));
  void jsPsych.run([{ type: plugin, ...parameters }]);
  for (let waits = 0; waits < 100 && !frame.stage.querySelector(".trial .panel:not(.waiting), .reading .description:not(.waiting), .page"); waits++) await settle();
  await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)));
  await settle();
  return measure(least);
}

function measure(least: number): Seen {
  const objects = [...document.querySelectorAll<HTMLElement>(".scene .entity, .stage .context")];
  const isOutside = (node: Element): boolean => {
    const box = node.getBoundingClientRect();
    return box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
  };
  const texts = [...document.querySelectorAll<HTMLElement>(".stage .words, .stage .description, .stage .button, .stage .card, .stage label, .stage legend")];
  const pressed = [...document.querySelectorAll<HTMLElement>(".stage .button, .stage .card, .stage .option, .stage .point, .stage .slider")];
  const isSmall = (node: Element): boolean => {
    const box = node.getBoundingClientRect();
    return box.width > 0 && Math.min(box.width, box.height) < least - 0.5;
  };
  return {
    broken: [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src),
    offScreen: objects.filter(isOutside).map((node) => node.dataset.entity ?? ""),
    cut: texts.filter((node) => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1).map((node) => node.textContent ?? ""),
    small: pressed.filter(isSmall).map((node) => node.textContent ?? ""),
    wide: document.documentElement.scrollWidth > innerWidth + 1,
  };
}

Object.assign(window, { look });
