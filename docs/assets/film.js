// A run as a picture: step by step, or played. Without this script its last state is shown, below the list of its steps.
document.addEventListener("DOMContentLoaded", () => {
  for (const film of document.querySelectorAll(".film")) {
    const frames = [...film.querySelectorAll(".film-frame")];
    const last = frames.length - 1;
    let at = last;
    let playing = 0;
    const button = (text, label, action) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      if (label) made.setAttribute("aria-label", label);
      made.addEventListener("click", action);
      return made;
    };
    const stop = () => {
      clearInterval(playing);
      playing = 0;
      play.textContent = "Play";
    };
    const show = (next) => {
      at = Math.max(0, Math.min(last, next));
      frames.forEach((frame, i) => frame.classList.toggle("now", i === at));
      steps.forEach((step, i) => (i === at ? step.setAttribute("aria-current", "step") : step.removeAttribute("aria-current")));
      count.textContent = `${at} of ${last}`;
    };
    const go = (next) => {
      stop();
      show(next);
    };
    const steps = [...film.querySelectorAll(".film-steps li")].map((item, i) => {
      const made = button(item.textContent, "", () => go(i));
      item.replaceChildren(made);
      return made;
    });
    const count = document.createElement("output");
    const play = button("Play", "", () => {
      if (playing) return stop();
      play.textContent = "Pause";
      if (at === last) show(0);
      playing = setInterval(() => (at === last ? stop() : show(at + 1)), 1400);
    });
    const bar = document.createElement("div");
    bar.className = "film-bar";
    bar.append(play, button("←", "Previous step", () => go(at - 1)), button("→", "Next step", () => go(at + 1)), count);
    film.querySelector(".film-frames").before(bar);
    film.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      go(at + by);
    });
    film.classList.add("plays");
    show(last);
  }
});
