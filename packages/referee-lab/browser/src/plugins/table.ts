// Every plug-in a plan may name. A new kind of step is one class and one line here.

import type { JsPsych, JsPsychPlugin, PluginInfo } from "jspsych";
import { FormPlugin } from "./form.ts";
import { IdentifyPlugin } from "./identify.ts";
import { JudgePlugin } from "./judge.ts";
import { LocatePlugin } from "./locate.ts";
import { OWN, ownTrial } from "./own.ts";
import { PagePlugin } from "./page.ts";
import { ProducePlugin } from "./produce.ts";
import { ReferenceGamePlugin } from "./reference-game.ts";
import { ReplayIdentifyPlugin } from "./replay-identify.ts";
import { SoundCheckPlugin } from "./sound-check.ts";
import { TangramPlugin } from "./tangram.ts";

export interface PluginClass {
  // oxlint-disable-next-line typescript/no-explicit-any -- each class has parameters of its own, and a table of all of them has none in common
  new (jsPsych: JsPsych): JsPsychPlugin<any>;
  info: PluginInfo;
}

// What a plan has to say for a plug-in and does not. Plug-ins have no defaults of their own: those are the protocol's, declared in Python. A parameter without
// which a step may be is null, or an empty list, by default.
export function missingParameters(plugin: PluginClass, given: Record<string, unknown>): string[] {
  const { parameters } = plugin.info;
  return Object.keys(parameters).filter((name) => parameters[name]!.default === undefined && given[name] === undefined);
}

export const PLUGINS: Readonly<Record<string, PluginClass>> = {
  "page": PagePlugin,
  "sound-check": SoundCheckPlugin,
  "form": FormPlugin,
  "identify": IdentifyPlugin,
  "produce": ProducePlugin,
  "judge": JudgePlugin,
  "locate": LocatePlugin,
  "tangram": TangramPlugin,
  "reference-game": ReferenceGamePlugin,
  "replay-identify": ReplayIdentifyPlugin,
};

// A step of a plan as a trial of jsPsych.
export function trialOf(step: { index?: number; plugin: string; parameters: Record<string, unknown> }): Record<string, unknown> & { type: PluginClass } {
  if (step.plugin === OWN) return { ...ownTrial(step.parameters.script as string, step.parameters.cells as Record<string, string>), css_classes: [OWN] };
  const plugin = PLUGINS[step.plugin];
  if (!plugin) throw new Error(`there is no plug-in ${step.plugin}`);
  const missing = missingParameters(plugin, step.parameters);
  if (missing.length) throw new Error(`step ${step.index}: the plug-in ${step.plugin} needs ${missing.join(", ")} from the protocol`);
  const known = Object.entries(step.parameters).filter(([name]) => name in plugin.info.parameters);
  return { type: plugin, ...Object.fromEntries(known) };
}
