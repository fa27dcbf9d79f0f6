// Every plug-in a plan may name. A new kind of step is one class and one line here.

import type { JsPsych, JsPsychPlugin, PluginInfo } from "jspsych";
import { FormPlugin } from "./form.ts";
import { IdentifyPlugin } from "./identify.ts";
import { JudgePlugin } from "./judge.ts";
import { PagePlugin } from "./page.ts";
import { ProducePlugin } from "./produce.ts";
import { ReplayIdentifyPlugin } from "./replay-identify.ts";
import { TangramPlugin } from "./tangram.ts";

export interface PluginClass {
  new (jsPsych: JsPsych): JsPsychPlugin<any>;
  info: PluginInfo;
}

export const PLUGINS: Readonly<Record<string, PluginClass>> = {
  "page": PagePlugin,
  "form": FormPlugin,
  "identify": IdentifyPlugin,
  "produce": ProducePlugin,
  "judge": JudgePlugin,
  "tangram": TangramPlugin,
  "replay-identify": ReplayIdentifyPlugin,
};
