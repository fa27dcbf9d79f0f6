// What the link says: which study, and the names that recruiting platforms put into it.

const PLATFORM = ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "assignmentId", "hitId", "workerId", "turkSubmitTo", "label"];

export interface Address {
  base: string;
  study: string;
  platform: Record<string, string>;
  mode: string | null;
  simulation: string | null;
  preview: boolean;
  leaving: boolean;
}

export function readAddress(location: { pathname: string; search: string }): Address {
  const found = /^(.*\/s\/([^/]+))(\/|$)/.exec(location.pathname);
  const query = new URLSearchParams(location.search);
  const given = PLATFORM.map((name) => [name, query.get(name)] as const).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return {
    base: `${found?.[1] ?? ""}/`,
    study: decodeURIComponent(found?.[2] ?? ""),
    platform: Object.fromEntries(given),
    mode: query.get("mode") === "debug" ? "debug" : null,
    simulation: query.get("simulate"),
    preview: query.get("assignmentId") === "ASSIGNMENT_ID_NOT_AVAILABLE",
    leaving: query.has("withdraw"),
  };
}
