// What each speaker says, why, and where each hearer would go: a card each, side by side.

import { button, make } from "../dom.js";
import { legend, sceneElement } from "../scene-picture.js";
import { lookAt } from "./answers.js";

const STEP_MS = 1100;

export function cards(answers, target) {
  const own = answers.own ? [ownCard(answers.own, answers.look, target)] : [];
  return [...own, ...answers.speakers.map((speaker) => speakerCard(speaker, answers.look, target))];
}

function ownCard(own, look, target) {
  const read = own.read.length ? `read by hearers without training as ${own.read.join(", ")}` : "no word of it names a value of this scene; hearers that learned read the words themselves";
  return make("article", { class: "card own" }, make("h3", {}, "You"), make("p", { class: "said" }, `“${own.text}”`), make("p", { class: "note" }, read), ...heard(own.hearers, look, target));
}

function heard(hearers, look, target) {
  const at = lookAt(look, target, hearers);
  return [sceneElement(at), ...(at.went?.length ? [legend(at.went)] : []), ...excuses(hearers)];
}

// Those who have no answer say why.
function excuses(hearers) {
  return hearers.filter(({ learning, trouble }) => learning ?? trouble).map(({ name, learning, trouble }) => make("p", { class: learning ? "note learning" : "note trouble" }, `${name} ${learning ? `${learning} …` : `cannot answer: ${trouble}`}`));
}

function speakerCard(speaker, look, target) {
  const head = make("h3", {}, speaker.name);
  if (speaker.learning) return make("article", { class: "card" }, head, make("p", { class: "note learning" }, `${speaker.learning} …`));
  if (!speaker.text) return make("article", { class: "card" }, head, make("p", { class: "note trouble" }, speaker.trouble || "has nothing to say"));
  const hearers = speaker.hearers ?? [], steps = speaker.steps ?? [];
  const place = make("div"), list = make("ol", { class: "steps" });
  const show = (upTo) => {
    const gone = new Set(steps.slice(0, upTo === null ? 0 : upTo + 1).flatMap(({ ruled_out }) => ruled_out));
    place.replaceChildren(sceneElement(lookAt(look, target, upTo === null ? hearers : [], gone)));
    [...list.children].forEach((item, i) => item.classList.toggle("now", i === upTo));
  };
  list.append(...steps.map((step, i) => stepLine(step, () => show(i))));
  show(null);
  const at = lookAt(look, target, hearers);
  const play = button("Show why", "quiet"), back = button("Hearers", "quiet");
  play.addEventListener("click", () => void film(steps.length, show));
  back.addEventListener("click", () => show(null));
  return make("article", { class: "card" },
    head, make("p", { class: "said" }, `“${speaker.text}”`), note(speaker), place, at.went?.length ? legend(at.went) : null, ...excuses(hearers),
    steps.length ? make("div", { class: "row" }, play, back) : null, list);
}

function note(speaker) {
  const parts = [
    speaker.distinguishing === true ? "true of the target alone" : speaker.also?.length ? `also true of ${speaker.also.join(", ")}` : speaker.distinguishing === false ? "does not single out the target" : "",
    speaker.dropped?.length ? `the words leave out ${speaker.dropped.join(", ")}` : "",
    speaker.false?.length ? `not true of the target: ${speaker.false.join(", ")}` : "",
    speaker.learned ?? "",
  ].filter(Boolean);
  return parts.length ? make("p", { class: speaker.distinguishing === false ? "note trouble" : "note" }, parts.join("; ")) : null;
}

function stepLine(step, show) {
  const left = step.remaining === 0 ? "nobody else is left" : step.remaining === 1 ? "one other is left" : `${step.remaining} others are left`;
  const ruled = step.ruled_out.length ? `rules out ${step.ruled_out.join(", ")}; ${left}` : left;
  const line = make("button", { type: "button", class: "step" }, make("b", {}, step.property ?? "In the end"), ` ${step.reason}; ${ruled}`);
  line.addEventListener("click", show);
  return make("li", {}, line);
}

async function film(count, show) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (still) return show(count - 1);
  for (let i = 0; i < count; i += 1) {
    show(i);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return undefined;
}
