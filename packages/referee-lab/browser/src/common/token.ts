// A token comes from the part of a link that browsers never send, leaves the address bar at once, and is kept for as long as the tab lives.

export function takeToken(key: string): string | null {
  const given = decodeURIComponent(location.hash.replace(/^#(token=)?/, ""));
  if (given) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given || sessionStorage.getItem(key);
}
