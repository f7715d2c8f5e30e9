/* Printed tables stay aligned and scroll; printed sentences wrap.
   Tables of results: numbers stand to the right under their heading, words to the left, and
   short entries stay on one line. Without this script they are all on the left. */
document.addEventListener("DOMContentLoaded", () => {
  for (const output of document.querySelectorAll("div.cell_output pre")) {
    const columns = output.textContent.split("\n").filter((line) => /\S {2,}\S/.test(line));
    output.classList.toggle("aligned", columns.length > 1);
  }
  const number = /^[+\u2212-]?[\d,.]+(e[+-]?\d+)?( ?%)?$|^NaN$/;
  for (const table of document.querySelectorAll("table.dataframe")) {
    const counts = {}; // how many cells of each column, counted from the right, hold a number
    for (const row of table.tBodies[0]?.rows ?? []) {
      [...row.cells].reverse().forEach((cell, place) => {
        if (cell.tagName !== "TD") return;
        const text = cell.textContent.trim(), isNumber = number.test(text);
        cell.classList.toggle("number", isNumber);
        cell.classList.toggle("whole", text.length <= 18);
        counts[place] = (counts[place] ?? 0) + (isNumber ? 1 : -1);
      });
    }
    for (const row of table.tHead?.rows ?? []) {
      let place = 0;
      for (const cell of [...row.cells].reverse()) {
        cell.classList.toggle("number", cell.colSpan === 1 && counts[place] > 0);
        place += cell.colSpan;
      }
    }
  }
});
