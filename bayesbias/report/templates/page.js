"use strict";
// Without this script every table is a plain table and every figure a plain figure.

const FEWEST_ROWS_TO_FILTER = 6;

const plain = (text) => text.normalize("NFC").replace(/\u2212/g, "-").toLowerCase();
const written = (text) => {
  const number = plain(text).replace(/,/g, "").match(/[-+]?[0-9]*\.?[0-9]+/);
  return number ? Number(number[0]) : NaN;
};

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

function keyOf(row, column, numeric) {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim();
  return cell.dataset.key === undefined ? written(cell.textContent) : Number(cell.dataset.key || NaN);
}

function compare(a, b, numeric) {
  if (!numeric) return a.localeCompare(b, undefined, { sensitivity: "base", numeric: true });
  return a - b;
}

// Ascending, descending, and as it was; what is no number stays at the end.
function sort(table, head, original) {
  const next = { undefined: "ascending", ascending: "descending" };
  const order = next[head.getAttribute("aria-sort") ?? undefined];
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  if (order) head.setAttribute("aria-sort", order);
  const numeric = head.classList.contains("n"), sign = order === "descending" ? -1 : 1;
  const rows = original.map((row) => [row, order && keyOf(row, head.cellIndex, numeric)]);
  if (order) {
    rows.sort(([, a], [, b]) => {
      const last = Number(Number.isNaN(a)) - Number(Number.isNaN(b));
      return last || (Number.isNaN(a) ? 0 : sign * compare(a, b, numeric));
    });
  }
  table.tBodies[0].append(...rows.map(([row]) => row));
}

function filter(rows, input, status) {
  const wanted = plain(input.value).split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = plain([...row.cells].map((cell) => cell.textContent).join(" "));
    row.hidden = !wanted.every((part) => text.includes(part));
    shown += row.hidden ? 0 : 1;
  }
  status.textContent = wanted.length ? `${shown} of ${rows.length} rows with “${input.value.trim()}”` : "";
}

function addFilter(table, rows) {
  const input = element("input", { type: "search", placeholder: "Filter rows", autocomplete: "off" });
  input.setAttribute("aria-label", `Filter rows: ${table.caption?.textContent ?? "table"}`);
  const status = element("span", { className: "status" });
  status.setAttribute("role", "status");
  input.addEventListener("input", () => filter(rows, input, status));
  const line = element("div", { className: "filter" });
  line.append(input, status);
  table.closest(".scroll").before(line);
}

// On a phone every row is a block, in which each cell says what it is.
function stack(table, rows) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  for (const row of rows) {
    for (const cell of row.cells) cell.dataset.head = heads[cell.cellIndex];
  }
  table.classList.add("stacks");
}

for (const table of document.querySelectorAll(".scroll > table")) {
  const rows = [...table.tBodies[0].rows];
  stack(table, rows);
  for (const head of table.tHead.rows[0].cells) {
    if (rows.length < 2 || !head.textContent.trim()) continue;
    const button = element("button", { type: "button" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head, rows));
    head.append(button);
  }
  if (rows.length >= FEWEST_ROWS_TO_FILTER) addFilter(table, rows);
}
