/* Printed tables stay aligned and scroll; printed sentences wrap, beside a table, too.
   Tables of results: one row of headings, numbers stand to the right under their heading, words to the left, and
   short entries stay on one line. Without this script they are all on the left. */
document.addEventListener("DOMContentLoaded", () => {
  for (const output of document.querySelectorAll("div.cell_output pre")) {
    const lines = output.textContent.replace(/\n$/, "").split("\n");
    const inColumns = lines.map((line) => /\S {2,}\S/.test(line));
    if (inColumns.filter(Boolean).length < 2) continue;
    output.classList.add("aligned");
    output.replaceChildren(...lines.map((line, place) => {
      const span = document.createElement("span");
      span.textContent = line;
      span.classList.toggle("sentence", !inColumns[place] && line.length > 60);
      return span;
    }));
  }
  const number = /^[+\u2212-]?[\d,.]+(e[+-]?\d+)?( ?%)?$|^NaN$/;
  for (const table of document.querySelectorAll("table.dataframe")) {
    // The names of the index have a row of their own, with nothing else in it: move them up.
    const [above, names] = [...(table.tHead?.rows ?? [])].slice(-2);
    const pairs = [...(names?.cells ?? [])].map((cell, place) => [cell, above.cells[place]]);
    const empty = (cell) => !cell?.textContent.trim();
    if (pairs.length && pairs.length === above.cells.length && pairs.every((pair) => pair.some(empty))) {
      for (const [cell, old] of pairs) if (!empty(cell)) old.replaceWith(cell);
      names.remove();
    }
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
/* On a phone, where a picture is as wide as the screen and its letters are small, a tap enlarges it; the
   button in its caption or below it, which a wide screen does not show, does the same by keyboard. */
document.addEventListener("DOMContentLoaded", () => {
  for (const image of document.querySelectorAll(".cell_output img")) {
    const caption = image.closest("figure")?.querySelector("figcaption");
    let figure = image.closest("figure");
    if (!caption) {
      const whole = image.closest("a") ?? image; // the theme makes a picture a link to its file
      figure = document.createElement("div");
      figure.className = "picture";
      whole.replaceWith(figure);
      figure.append(whole);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    const show = (large) => {
      figure.classList.toggle("enlarged", large);
      button.setAttribute("aria-expanded", large);
      button.textContent = large ? "Show the whole picture" : "Enlarge the picture";
    };
    const turn = (event) => {
      if (!button.getClientRects().length) return;
      event.preventDefault(); // a picture is also a link to its file
      show(!figure.classList.contains("enlarged"));
    };
    button.addEventListener("click", turn);
    image.addEventListener("click", turn);
    show(false);
    (caption ?? figure)[caption ? "prepend" : "append"](button);
  }
});
/* The title of a folded solution opens it; the exercise that its link would lead to stands right
   above. */
document.addEventListener("DOMContentLoaded", () => {
  for (const link of document.querySelectorAll(".solution.dropdown > .admonition-title a")) {
    link.replaceWith(link.textContent);
  }
});
/* Paper cannot be unfolded: answers and solutions are open while the page is printed. */
window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) {
    fold.open = true;
    fold.dataset.folded = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-folded]")) {
    fold.open = false;
    delete fold.dataset.folded;
  }
});
