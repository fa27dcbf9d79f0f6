// Keys that do what the controls of the items do.

export function listenToKeys(browsers) {
  const nearest = () => browsers.find((browser) => browser.root.contains(document.activeElement)) ?? browsers[0];
  const keys = {
    "/": () => nearest().search.focus(),
    j: () => nearest().move(1),
    k: () => nearest().move(-1),
    n: () => nearest().turn(1),
    p: () => nearest().turn(-1),
    g: () => window.scrollTo(0, 0),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !browsers.length || !(event.target instanceof Element)) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
