// The theme's search has no name for a screen reader, and what scrolls sideways cannot be reached by keyboard: both are put right when a page is there.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
  const reach = () => {
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) {
      if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    }
  };
  new ResizeObserver(reach).observe(document.body);
  // Tables are wrapped by the theme after this.
  new MutationObserver(reach).observe(document.querySelector("article") ?? document.body, { childList: true, subtree: true });
});
