// The gallery by version and by words: hides entries that do not fit. Without this script all of them are shown.
document.addEventListener("DOMContentLoaded", () => {
  const bar = document.querySelector(".bugs-filter");
  if (!bar) return;
  const [version, words, said] = ["select", "input[type=search]", "output"].map((name) => bar.querySelector(name));
  const brokers = bar.querySelector("input[type=checkbox]");
  const bugs = [...document.querySelectorAll(".bug")];
  const known = [...document.querySelectorAll("table tr td:first-child")].map((cell) => cell.textContent);
  for (const one of known) version.add(new Option(one, one));
  const asked = new URLSearchParams(location.search);
  version.value = known.includes(asked.get("kafka")) ? asked.get("kafka") : "";
  words.value = asked.get("words") || "";
  brokers.checked = asked.has("brokers");
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const bug of bugs) {
      const text = bug.textContent.toLowerCase();
      const had = bug.dataset.kafka.split(" ");
      const fits = (!version.value || had.includes(version.value)) && (!brokers.checked || bug.classList.contains("on-brokers"));
      bug.hidden = !(fits && wanted.every((word) => text.includes(word)));
    }
    said.textContent = `${bugs.filter((bug) => !bug.hidden).length} of ${bugs.length}`;
    const query = new URLSearchParams();
    if (version.value) query.set("kafka", version.value);
    if (words.value) query.set("words", words.value);
    if (brokers.checked) query.set("brokers", "");
    try {
      history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
    } catch { /* a file: its address stays */ }
  };
  bar.hidden = false;
  version.addEventListener("change", show);
  words.addEventListener("input", show);
  brokers.addEventListener("change", show);
  const lead = () => {
    const bug = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest(".bug");
    if (!bug?.hidden) return;
    version.value = words.value = ""; // a link leads to an entry that is hidden
    brokers.checked = false;
    show();
    bug.scrollIntoView();
  };
  show();
  window.addEventListener("hashchange", lead);
  if (location.hash) lead();
  else if (version.value || words.value || brokers.checked) bar.scrollIntoView();
});
