// Plug-ins of the organisers' own: jsPsych's files for browsers in the study's folder, with parameters from the columns of a table.

import * as jspsych from "jspsych";
import type { PluginInfo } from "jspsych";
import type { PluginClass } from "./table.ts";
import { plainTimes, type Result } from "./parts/result.ts";
import type { Onset } from "../timing/frames.ts";

export const OWN = "own";
// What jsPsych adds to the data of every trial; the server has its own record of it.
const ADDED: ReadonlySet<string> = new Set(["trial_type", "trial_index", "time_elapsed", "plugin_version"]);
const { ParameterType } = jspsych;
type ParameterInfo = PluginInfo["parameters"][string];
const loaded = new Map<string, PluginClass>();

function isPlugin(value: unknown): value is PluginClass {
  const info = typeof value === "function" ? (value as Partial<PluginClass>).info : undefined;
  return typeof info === "object" && typeof info.parameters === "object";
}

// A script tag and no import: jsPsych's files for browsers are plain scripts that make one global variable.
export async function loadPlugin(address: string): Promise<void> {
  if (loaded.has(address)) return;
  Object.assign(window, { jsPsychModule: jspsych });
  const before = new Set(Object.getOwnPropertyNames(window));
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`the plug-in ${address} could not be loaded`));
    document.head.append(script);
  });
  const globals = window as unknown as Record<string, unknown>;
  const plugin = Object.getOwnPropertyNames(window).filter((name) => !before.has(name)).map((name) => globals[name]).find(isPlugin);
  if (!plugin) throw new Error("the file makes no jsPsych plug-in: it has to begin with `var name = (function (jspsych) {` and end with `})(jsPsychModule);`");
  loaded.set(address, plugin);
}

// The trial as jsPsych wants it: cells of a table in the types that the plug-in declares.
export function ownTrial(address: string, cells: Readonly<Record<string, string>>): Record<string, unknown> & { type: PluginClass } {
  const plugin = loaded.get(address);
  if (!plugin) throw new Error(`the plug-in ${address} is not loaded`);
  const { name, parameters } = plugin.info;
  const values = Object.entries(cells).map(([cell, text]) => {
    const declared = parameters[cell];
    if (!declared) throw new Error(`the plug-in ${name} has no parameter ${cell}; it has ${Object.keys(parameters).join(", ")}`);
    return [cell, valueOf(cell, text, declared)];
  });
  return { type: plugin, ...Object.fromEntries(values) };
}

function valueOf(name: string, text: string, { type, array }: ParameterInfo): unknown {
  const isList = array === true || (type === ParameterType.KEYS && !/^(?:ALL|NO)_KEYS$/.test(text));
  if (!isList) return single(name, text, type);
  return text.startsWith("[") ? JSON.parse(text) : text.split("|").map((part) => single(name, part.trim(), type));
}

function single(name: string, text: string, type: ParameterInfo["type"]): unknown {
  if (type === ParameterType.INT || type === ParameterType.FLOAT) {
    const number = Number(text);
    if (text && Number.isFinite(number)) return number;
    throw new Error(`${name} has to be a number and is ${text}`);
  }
  if (type === ParameterType.BOOL) {
    if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
    throw new Error(`${name} has to be true or false and is ${text}`);
  }
  if (type === ParameterType.FUNCTION || type === ParameterType.TIMELINE) throw new Error(`${name} cannot be written in a table`);
  return type === ParameterType.OBJECT || type === ParameterType.COMPLEX ? JSON.parse(text) : text;
}

export function ownResult(data: Record<string, unknown>, onset: Onset, flags: Result["flags"]): Result {
  const measured = Object.fromEntries(Object.entries(data).filter(([name, value]) => !ADDED.has(name) && value !== undefined));
  const { response, rt } = measured;
  const text = response === undefined || response === null ? null : typeof response === "string" ? response : JSON.stringify(response);
  const took = typeof rt === "number" && rt >= 0 ? rt : performance.now() - onset.onset;
  return { answer: { response: text, data: measured }, times: plainTimes(onset, onset.onset + took), flags };
}
