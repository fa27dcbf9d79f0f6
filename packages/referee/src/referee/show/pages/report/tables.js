// Tables: a click on a column head sorts; what has no number goes last in both directions.

import { make } from "../dom.js";

export function sortable(table) {
  const heads = [...table.querySelectorAll("thead tr.heads th")];
  heads.forEach((head, column) => {
    if (!head.textContent) return;
    const button = make("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column], falling ? -1 : 1)));
    });
  });
}

function compare(a, b, sign) {
  const x = a.dataset["order"], y = b.dataset["order"];
  if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
  if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
  return -sign * (a.textContent ?? "").localeCompare(b.textContent ?? "", undefined, { numeric: true });
}
