"use strict";
(() => {
  const moments = [...document.querySelectorAll(".moment")];
  const details = [...document.querySelectorAll("details")];
  let at = moments.findIndex((one) => `#${one.id}` === location.hash);
  const show = (next) => {
    at = Math.max(0, Math.min(moments.length - 1, next));
    moments.forEach((one, i) => one.classList.toggle("now", i === at));
    moments[at].focus({ preventScroll: true });
    moments[at].scrollIntoView({ block: "nearest" });
    history.replaceState(null, "", `#${moments[at].id}`);
  };
  const keys = {
    j: () => show(at + 1),
    k: () => show(at - 1),
    Enter: () => { const one = at >= 0 && moments[at].querySelector("details"); if (one) one.open = !one.open; },
    a: () => { const open = details.some((one) => !one.open); details.forEach((one) => { one.open = open; }); },
    p: () => document.getElementById("properties").scrollIntoView(),
    "?": () => document.getElementById("signs").scrollIntoView(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(A|SUMMARY|INPUT)$/.test(event.target.tagName) && event.key === "Enter") return;
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  moments.forEach((one, i) => one.addEventListener("click", (event) => { if (!event.target.closest("a, summary")) { at = i; moments.forEach((other, k) => other.classList.toggle("now", k === i)); } }));
  const table = document.querySelector(".truths");
  const same = table.querySelectorAll(".same").length;
  if (same) {
    const button = document.createElement("button");
    const word = () => { button.textContent = table.classList.contains("shut") ? `Show ${same} that do not change` : `Hide ${same} that do not change`; };
    button.addEventListener("click", () => { table.classList.toggle("shut"); word(); });
    table.classList.add("shut");
    word();
    table.parentElement.before(button);
  }
  const { classList, style } = document.body;
  addEventListener("beforeprint", () => { // as small as it must be for one page of A4 or letter, and can still be read
    classList.add("printing");
    for (let zoom = 1; zoom > 0.5; zoom -= 0.05) {
      style.zoom = zoom;
      style.width = `${700 / zoom}px`;
      if (document.body.scrollHeight * zoom < 960) break;
    }
    style.width = "";
  });
  addEventListener("afterprint", () => { classList.remove("printing"); style.zoom = ""; });
  if (at >= 0) show(at);
})();
