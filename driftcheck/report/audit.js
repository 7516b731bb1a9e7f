"use strict";
(() => {
  const one = (query, within = document) => within.querySelector(query);
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const rows = all("tr.row");
  const release = one("#release");
  const search = one("#search");
  const kinds = all("input[data-kind]");
  const only = one("#only");
  const bad = new Set(["breaks", "risk", "possible"]);

  const detail = (row) => row.nextElementSibling;
  const open = (row, wanted) => {
    row.setAttribute("aria-expanded", String(wanted));
    detail(row).hidden = !wanted || row.hidden;
  };
  const isOpen = (row) => row.getAttribute("aria-expanded") === "true";

  function filter() {
    const shown = new Set(kinds.filter((box) => box.checked).map((box) => box.dataset.kind));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const at = Number(release.value);
    for (const row of rows) {
      const state = row.dataset.states.split(" ")[at];
      row.hidden =
        !shown.has(row.dataset.kind) ||
        !words.every((word) => row.dataset.words.includes(word)) ||
        (only.checked && !bad.has(state));
      detail(row).hidden = row.hidden || !isOpen(row);
    }
    for (const body of all("#map tbody")) body.hidden = !one("tr.row:not([hidden])", body);
    one("#nothing").hidden = rows.some((row) => !row.hidden);
  }

  function choose(at) {
    release.value = String(at);
    for (const cell of all("#map .chosen")) cell.classList.remove("chosen");
    for (const cell of all(`#map [data-at="${at}"]`)) cell.classList.add("chosen");
    for (const edge of all("#graph .edge")) {
      edge.setAttribute("class", `edge s-${edge.dataset.states.split(" ")[at]}`);
    }
    const shown = one("#shown");
    if (shown) shown.textContent = release.selectedOptions[0].textContent;
    filter();
  }

  function move(step) {
    const seen = rows.filter((row) => !row.hidden);
    const at = seen.indexOf(document.activeElement);
    const next = seen[Math.min(Math.max(at + step, 0), seen.length - 1)];
    if (next) next.focus();
  }

  function expandAll() {
    const wanted = rows.some((row) => !row.hidden && !isOpen(row));
    for (const row of rows) if (!row.hidden) open(row, wanted);
    one("#expand").textContent = wanted ? "close all" : "expand all";
  }

  for (const row of rows) row.addEventListener("click", () => open(row, !isOpen(row)));
  for (const box of [...kinds, only]) box.addEventListener("change", filter);
  search.addEventListener("input", filter);
  release.addEventListener("change", () => choose(Number(release.value)));
  for (const head of all("#map .version")) head.addEventListener("click", () => choose(Number(head.dataset.at)));
  one("#expand").addEventListener("click", expandAll);

  const theme = one("#theme");
  const paint = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    theme.textContent = dark ? "light" : "dark";
  };
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  paint(prefers.matches);
  prefers.addEventListener("change", (event) => paint(event.matches));
  theme.addEventListener("click", () => paint(document.documentElement.dataset.theme !== "dark"));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.matches("input[type=search]")) {
      if (event.key === "Escape") { search.value = ""; filter(); search.blur(); }
      return;
    }
    if (target.matches("select, input")) return;
    const keys = {
      j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
      ArrowRight: () => choose(Math.min(Number(release.value) + 1, release.length - 1)),
      ArrowLeft: () => choose(Math.max(Number(release.value) - 1, 0)),
      "/": () => search.focus(), e: expandAll,
      Escape: () => { for (const row of rows) open(row, false); },
    };
    if ((event.key === "Enter" || event.key === " ") && target.matches("tr.row")) {
      open(target, !isOpen(target));
    } else if (keys[event.key] && !(event.key.startsWith("Arrow") && target.matches("summary"))) {
      keys[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });

  const graph = one("#graph");
  const pick = (node) => {
    const was = node.classList.contains("held");
    for (const other of all(".near, .held", graph)) other.classList.remove("near", "held");
    graph.classList.toggle("picked", !was);
    if (was) return;
    node.classList.add("near", "held");
    const end = node.dataset.side === "consumer" ? ["from", "to"] : ["to", "from"];
    for (const edge of all(".edge", graph)) {
      if (edge.dataset[end[0]] !== node.dataset.name) continue;
      edge.classList.add("near");
      for (const other of all(".node", graph)) {
        if (other.dataset.side !== node.dataset.side && other.dataset.name === edge.dataset[end[1]]) other.classList.add("near");
      }
    }
  };
  for (const node of all("#graph .node")) {
    node.addEventListener("click", () => pick(node));
    node.addEventListener("keydown", (event) => { if (event.key === "Enter") { pick(node); event.stopPropagation(); } });
  }

  function reveal() {
    const row = location.hash.startsWith("#r-") && document.getElementById(location.hash.slice(1));
    if (!row) return;
    row.hidden = false;
    row.parentElement.hidden = false;
    open(row, true);
    row.focus();
    row.scrollIntoView({ block: "center" });
  }
  addEventListener("hashchange", reveal);
  let printed = [];
  addEventListener("beforeprint", () => {
    printed = rows.filter((row) => !row.hidden && row.dataset.kind !== "holds" && !isOpen(row));
    for (const row of printed) open(row, true);
  });
  addEventListener("afterprint", () => { for (const row of printed) open(row, false); });

  choose(Number(release.value));
  reveal();
})();
