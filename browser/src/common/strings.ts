// Every word of the interface that does not belong to a study's own texts. They come with the plan, in the study's language; before that, and for pages without
// a study, there is the English that was bundled. Both are from one file, strings.toml (see words.mjs).

import { ENGLISH } from "../generated/english.ts";

export type StringName = keyof typeof ENGLISH;
export type Strings = Partial<Record<string, string>>;

export type Say = (name: StringName, values?: Record<string, string | number>) => string;

export function speaker(strings: Strings = {}): Say {
  return (name, values = {}) =>
    (strings[name] ?? ENGLISH[name]).replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
}
