// Every word of the interface that does not belong to a study's own texts. They come with the plan, in the study's language; before that, and for pages without
// a study, there is the English that was bundled. Both are from one file, strings.toml (see words.mjs).

import { ENGLISH } from "../generated/english.ts";

type Written = keyof typeof ENGLISH;
// A word that counts something stands in the file once for every category of its language (scene_one, scene_other …) and is asked for by its own name.
export type StringName = Written extends infer K ? (K extends `${infer Counted}_other` ? Counted : K) : never;
export type Strings = Partial<Record<string, string>>;

export type Say = (name: StringName, values?: Record<string, string | number>) => string;

export function speaker(strings: Strings = {}, language = "en"): Say {
  const [own, english] = [new Intl.PluralRules(language), new Intl.PluralRules("en")];
  return (name, values = {}) =>
    (formOf(strings, own, name, values.n) ?? formOf(ENGLISH, english, name, values.n) ?? name).replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
}

function formOf(strings: Strings, rules: Intl.PluralRules, name: string, n: string | number | undefined): string | undefined {
  const counted = typeof n === "number" ? (strings[`${name}_${rules.select(n)}`] ?? strings[`${name}_other`]) : undefined;
  return counted ?? strings[name];
}
