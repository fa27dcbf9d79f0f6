// Where a study is: pages of a study live below …/s/ID/.

export interface StudyAddress {
  base: string; // with its last slash
  study: string;
}

export function studyAt(pathname: string): StudyAddress {
  const found = /^(.*\/s\/([^/]+))(\/|$)/.exec(pathname);
  return { base: `${found?.[1] ?? ""}/`, study: decodeURIComponent(found?.[2] ?? "") };
}
