// What the server says about a study and a session, in the form in which it says it.

import type { Strings } from "../common/strings.ts";
import type { MediaDescription } from "../plugins/parts/media.ts";

export interface StudyFacts {
  id: string;
  title: string;
  language: string;
  direction: "ltr" | "rtl";
  mode: string;
}

export interface Ending {
  state: string;
  token?: string;
  outcome?: string;
  code?: string | null;
  redirect?: string | null;
  form?: { action: string; fields: Record<string, string> } | null;
  withdrawal_code?: string | null;
  debriefing?: string | null;
}

export interface Entrance extends Ending {
  consent: { html: string; hash: string };
  forgets?: boolean; // a shared computer: nobody is remembered after the end
  other_tab?: boolean;
  full?: Ending; // there is no place just now
  study: StudyFacts;
  strings?: Strings;
}

export interface Step {
  index: number;
  kind: string;
  plugin: string;
  saved: boolean;
  screening?: boolean; // the answer may end the session
  only?: { question: string; answers: string[] }; // shown to those who answered so
  parameters: Record<string, unknown>;
}

export interface Plan {
  study: StudyFacts;
  alias: string;
  position: number;
  saved: number[];
  attempts?: Record<string, number>; // the number of the next attempt, where there was one
  token?: string;
  told?: Record<string, unknown>; // answers of earlier visits, for branches
  policy: { unsaved_limit: number; aborted: "again" | "skip"; resume: string; feedback: boolean };
  pictures: string[];
  media?: MediaDescription[];
  strings: Strings;
  steps: Step[];
}

export interface TrialBody {
  index: number;
  attempt: number;
  state: "done" | "aborted";
  answer: Record<string, unknown>;
  times: Record<string, unknown>;
  flags: string[];
  sent_ms: number;
}

// Kinds that are interrupted by a reload; a page or a form is simply shown again.
export const INTERRUPTIBLE: ReadonlySet<string> = new Set(["practice", "trial", "check"]);
