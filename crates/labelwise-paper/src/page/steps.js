(() => {
  const slider = document.getElementById("step");
  if (!slider) return;
  const frames = [...document.querySelectorAll(".frame")];
  const captions = [...document.querySelectorAll(".caption")];
  const place = document.getElementById("at");
  const play = document.getElementById("play");
  const area = document.getElementById("captions");
  const last = frames.length;
  // Milliseconds a step; who asked for less motion gets more time.
  const pace = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 700;
  let timer = null;

  function show(wanted) {
    const step = Math.min(Math.max(wanted, 1), last);
    frames.forEach((frame, i) => { frame.hidden = i + 1 !== step; });
    captions.forEach((caption, i) => { caption.hidden = i + 1 !== step; });
    slider.value = step;
    place.textContent = `step ${step} of ${last}`;
    slider.setAttribute("aria-valuetext", place.textContent);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    area.ariaLive = "polite";
  }

  function advance() {
    show(Number(slider.value) + 1);
    if (Number(slider.value) === last) stop();
  }

  function goTo(step) {
    stop();
    show(step);
  }

  // A link can name a step, as in report.html#step=7.
  function showNamed() {
    const named = /^#step=(\d+)$/.exec(location.hash);
    goTo(named ? Number(named[1]) : 1);
  }

  slider.addEventListener("input", () => goTo(Number(slider.value)));
  document.getElementById("previous").addEventListener("click", () => goTo(Number(slider.value) - 1));
  document.getElementById("next").addEventListener("click", () => goTo(Number(slider.value) + 1));
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (Number(slider.value) === last) show(1);
    play.textContent = "Pause";
    // Read out while playing, captions would never come to an end.
    area.ariaLive = "off";
    timer = setInterval(advance, pace);
  });
  addEventListener("hashchange", showNamed);

  showNamed();
  slider.closest(".controls").hidden = false;
})();
