"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const slider = document.getElementById("k");
  const shown = document.getElementById("k-shown");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const body = document.getElementById("rows");
  const tip = document.getElementById("tip");
  const headers = [...document.querySelectorAll("th[data-key]")];

  // Rows are created once; sorting and searching move and hide them.
  const cell = (kind, text) => {
    const element = document.createElement("td");
    element.className = kind;
    element.textContent = text;
    return element;
  };
  const number = (value) => (value === null ? "" : String(Number(value.toPrecision(4))));
  // Columns without values are omitted.
  const keys = headers.map((header) => header.dataset.key);
  const isKnown = keys.map((key) => data.rows.some((row) => row[key] !== null));
  headers.forEach((header, i) => { header.hidden = !isKnown[i]; });
  for (const row of data.rows) {
    const line = document.createElement("tr");
    keys.forEach((key, i) => {
      if (!isKnown[i]) return;
      const isText = typeof row[key] === "string";
      line.append(cell(isText ? key : "number", isText ? row[key] : number(row[key])));
    });
    row.line = line;
    row.text = (row.name + " " + row.reason).toLowerCase();
  }

  const compare = (key, sign) => (a, b) => {
    const x = a[key];
    const y = b[key];
    if (x === null || y === null) return (x === null) - (y === null);
    if (typeof x === "string") return sign * x.localeCompare(y, "en", { numeric: true });
    return sign * (x - y);
  };
  const draw = (rows) => {
    const all = document.createDocumentFragment();
    for (const row of rows) all.append(row.line);
    body.replaceChildren(all);
  };
  const sort = (header) => {
    const key = header.dataset.key;
    const isText = key === "name" || key === "reason" || key === "step";
    const before = header.getAttribute("aria-sort");
    const up = before === null ? isText : before === "descending";
    for (const other of headers) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", up ? "ascending" : "descending");
    draw([...data.rows].sort(compare(key, up ? 1 : -1)));
  };
  for (const header of headers) {
    header.querySelector("button").addEventListener("click", () => sort(header));
  }

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of data.rows) {
      const fits = words.every((word) => row.text.includes(word));
      row.line.hidden = !fits;
      count += fits;
    }
    found.textContent = words.length ? count + " found" : "";
  };
  search.addEventListener("input", filter);

  const mark = () => {
    const k = Math.min(Number(slider.value), data.n_chosen);
    shown.textContent = k + (k === 1 ? " feature" : " features");
    for (const item of document.querySelectorAll("[data-step]")) {
      item.classList.toggle("off", Number(item.dataset.step) > k);
    }
    for (const row of data.rows) {
      row.line.classList.toggle("off", row.step === null || row.step > k);
    }
  };
  slider.addEventListener("input", mark);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "/" && event.target !== search) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      filter();
      search.blur();
    } else if (!isTyping && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      slider.value = Number(slider.value) + (event.key === "ArrowRight" ? 1 : -1);
      mark();
    }
  });

  // Show the titles of the charts at once instead of after a second.
  document.addEventListener("pointermove", (event) => {
    const title = event.target instanceof SVGElement ? event.target.querySelector(":scope > title") : null;
    tip.hidden = title === null;
    if (title === null) return;
    tip.textContent = title.textContent;
    // The policy forbids style attributes in the page, but not changes of an element's style.
    tip.style.left = Math.min(event.clientX + 12, window.innerWidth - 220) + "px";
    tip.style.top = event.clientY + 14 + "px";
  });

  // Collapsed details would not be printed.
  window.addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });

  draw(data.rows);
  mark();
})();
