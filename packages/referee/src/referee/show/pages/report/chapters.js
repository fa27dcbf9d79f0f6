// Chapters that are closed open by themselves for whoever follows a link into them, and all of them for paper.

export function openChapters() {
  const reveal = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = place; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    const own = place?.querySelector(":scope > details.chapter");
    if (own) own.open = true;
    if (place) place.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  // A second click on the same link changes no address.
  document.querySelectorAll('nav a[href^="#"]').forEach((link) => link.addEventListener("click", () => setTimeout(reveal)));
  if (location.hash) reveal();
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details.chapter:not([open]), main details.more:not([open])")];
    closed.forEach((details) => (details.open = true));
  });
  window.addEventListener("afterprint", () => closed.forEach((details) => (details.open = false)));
}
