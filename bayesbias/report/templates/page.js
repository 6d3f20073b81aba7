"use strict";
// Without this script every table is a plain table and every figure a plain figure.

const FEWEST_ROWS_TO_FILTER = 6;
const REACH = { x: 60, y: 8 }; // pixels from the pointer in which a mark is found

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

// What a mark of a figure is, beside the pointer. Its text is text, never markup.
const tip = element("div", { className: "tip", hidden: true, dir: "auto" });
tip.setAttribute("role", "tooltip");
document.body.append(tip);
let lit = [];

function light(marks) {
  for (const mark of lit) mark.classList.remove("lit");
  lit = marks;
  for (const mark of lit) mark.classList.add("lit");
  tip.hidden = !lit.length;
}

function nearest(marks, x, y) {
  let best = null, least = Infinity;
  for (const mark of marks) {
    if (!mark.getClientRects().length) continue; // of the drawing for another width
    const box = mark.getBoundingClientRect();
    const dx = Math.max(box.left - x, 0, x - box.right), dy = Math.max(box.top - y, 0, y - box.bottom);
    if (dx <= REACH.x && dy <= REACH.y && dx + 4 * dy < least) [best, least] = [mark, dx + 4 * dy];
  }
  return best;
}

function place(x, y) {
  const { width, height } = tip.getBoundingClientRect(), right = document.documentElement.clientWidth;
  tip.style.left = `${Math.max(6, Math.min(x + 14, right - width - 6))}px`;
  tip.style.top = `${y - height - 12 < 6 ? y + 18 : y - height - 12}px`;
}

for (const plot of document.querySelectorAll("figure .plot")) {
  const texts = new Map();
  for (const mark of plot.querySelectorAll("svg .mark")) {
    const title = mark.querySelector("title");
    texts.set(mark, title.textContent);
    title.remove(); // or the browser would show it a second time
  }
  const point = (event) => {
    const mark = nearest(texts.keys(), event.clientX, event.clientY), text = texts.get(mark);
    light([...texts.keys()].filter((each) => mark && texts.get(each) === text)); // point and bar
    if (!mark) return;
    const [head, ...rest] = text.split("\n");
    tip.replaceChildren(element("b", { textContent: head }), rest.map((line) => `\n${line}`).join(""));
    place(event.clientX, event.clientY);
  };
  if (!texts.size) continue;
  plot.addEventListener("pointermove", point);
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointerleave", () => light([]));
}
window.addEventListener("scroll", () => light([]), { passive: true });
window.addEventListener("keydown", (event) => event.key === "Escape" && light([]));
