"use strict";
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), body = button.closest("table").tBodies[0];
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[head.cellIndex].dataset.key ?? row.cells[head.cellIndex].textContent;
    const compare = (a, b) => key(a).localeCompare(key(b), undefined, { sensitivity: "base" });
    const numbers = head.classList.contains("n") ? (a, b) => key(a) - key(b) : compare;
    const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * numbers(a, b));
    body.append(...rows);
  });
}
window.addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
