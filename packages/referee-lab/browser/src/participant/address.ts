// What the link says: which study, and the names that recruiting platforms put into it.

import { studyAt, type StudyAddress } from "../common/study-address.ts";

const PLATFORM = ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "prolific_token", "assignmentId", "hitId", "workerId", "turkSubmitTo", "survey_code", "label", "key"];

export interface Address extends StudyAddress {
  platform: Record<string, string>;
  mode: string | null;
  debugKey: string | null;
  simulation: string | null;
  preview: boolean;
  leaving: boolean;
}

export function readAddress(location: { pathname: string; search: string }): Address {
  const query = new URLSearchParams(location.search);
  const given = PLATFORM.map((name) => [name, query.get(name)] as const).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return {
    ...studyAt(location.pathname),
    platform: Object.fromEntries(given),
    mode: query.get("mode") === "debug" ? "debug" : null,
    debugKey: query.get("debug_key"),
    simulation: query.get("simulate"),
    preview: query.get("assignmentId") === "ASSIGNMENT_ID_NOT_AVAILABLE",
    leaving: query.has("withdraw"),
  };
}
