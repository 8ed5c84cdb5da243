"use strict";
(() => {
  let going = 0;
  const shown = (html, address, kept) => {
    const made = new DOMParser().parseFromString(html, "text/html");
    if (!made.querySelector("main")) { location.href = address; return; }
    const filter = document.getElementById("filter");
    const text = filter ? filter.value : "";
    document.title = made.title;
    document.body.className = made.body.className;
    document.body.replaceChildren(...made.body.childNodes);
    if (kept) history.pushState(null, "", address);
    begin();
    const again = document.getElementById("filter");
    if (again && text) { again.value = text; narrow(); }
    toNow();
  };
  const toNow = () => { const now = document.querySelector(".moment.now"); if (now && !location.hash) now.scrollIntoView({ block: "nearest" }); };
  const go = async (address, kept = true) => {
    const mine = ++going;
    try {
      const answer = await fetch(address, { headers: { "X-Explorer": "1" } });
      const html = await answer.text();
      if (mine === going) shown(html, answer.url, kept);
    } catch {
      location.href = address;
    }
  };
  const narrow = () => {
    const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (text) => words.every((word) => text.toLowerCase().includes(word));
    document.querySelectorAll(".next li").forEach((one) => { one.hidden = !fits(one.textContent); });
    document.querySelectorAll(".why-not dd > span").forEach((one) => { one.hidden = !fits(one.textContent); });
    document.querySelectorAll(".why-not dd").forEach((one) => { one.hidden = one.previousElementSibling.hidden = ![...one.children].some((part) => !part.hidden); });
  };
  const shutSame = () => {
    const table = document.querySelector(".truths");
    const same = table ? table.querySelectorAll(".same").length : 0;
    if (!same) return;
    const button = document.createElement("button");
    const word = () => { button.textContent = table.classList.contains("shut") ? `Show ${same} that do not change` : `Hide ${same} that do not change`; };
    button.addEventListener("click", () => { table.classList.toggle("shut"); word(); });
    table.classList.add("shut");
    word();
    table.parentElement.before(button);
  };
  const follow = (selector) => { const link = document.querySelector(selector); if (link) go(link.href); };
  const branchFrom = (step) => {
    const links = [...document.querySelectorAll(".branch a:not(.drop)")];
    const link = step > 0 ? links[0] : links[links.length - 1];
    if (link) go(link.href);
  };
  const keys = {
    j: () => follow("a[rel=next]"),
    k: () => follow("a[rel=prev]"),
    u: () => follow("a[rel=prev]"),
    "]": () => branchFrom(1),
    "[": () => branchFrom(-1),
    "/": () => { const filter = document.getElementById("filter"); if (filter) filter.focus(); },
    p: () => { const found = document.getElementById("properties"); if (found) found.scrollIntoView(); },
    e: () => { const found = document.querySelector("#asking input[name=ask]"); if (found) found.focus(); },
    "?": () => { const found = document.getElementById("signs"); if (found) found.scrollIntoView(); },
  };
  for (let n = 1; n <= 9; n += 1) keys[String(n)] = () => { const one = [...document.querySelectorAll(".next li:not([hidden]) > a.take")][n - 1]; if (one) go(one.href); };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) { if (event.key === "Escape") event.target.blur(); return; }
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button || link.target) return;
    const address = new URL(link.href);
    if (address.origin !== location.origin || address.pathname !== "/run" || location.pathname !== "/run") return;
    event.preventDefault();
    go(link.href);
  });
  window.addEventListener("popstate", () => go(location.href, false));
  const point = (values, width, height) => {
    const most = Math.max(1, ...values);
    return values.map((value, at) => `${(at / Math.max(1, values.length - 1)) * width},${height - (value / most) * (height - 8)}`).join(" ");
  };
  const watch = () => {
    const live = document.getElementById("live");
    if (!live) return;
    const states = [], queue = [];
    const source = new EventSource(live.dataset.events);
    source.onmessage = (event) => {
      const said = JSON.parse(event.data);
      if (said.ended) { source.close(); location.reload(); return; }
      if (typeof said.states === "number" && document.getElementById("curve-states")) {
        states.push(said.states);
        queue.push(said.queue);
        document.getElementById("curve-states").setAttribute("points", point(states, 600, 200));
        document.getElementById("curve-queue").setAttribute("points", point(queue, 600, 200));
      }
      live.textContent = said.line;
    };
  };
  const begin = () => {
    const filter = document.getElementById("filter");
    if (filter) filter.addEventListener("input", narrow);
    shutSame();
    watch();
    keepRun();
  };
  const keepRun = () => {
    if (location.pathname === "/run") sessionStorage.setItem("run", location.search);
    const kept = sessionStorage.getItem("run");
    const top = document.querySelector("nav.top");
    if (!kept || !top || top.querySelector("a[href^='/run']")) return;
    const link = document.createElement("a");
    link.href = `/run${kept}`;
    link.textContent = "Back to the run";
    top.querySelector("a").after(link);
  };
  begin();
  toNow();
})();
