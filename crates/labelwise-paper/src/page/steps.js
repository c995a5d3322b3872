(() => {
  const slider = document.getElementById("step");
  if (!slider) return;
  const frames = [...document.querySelectorAll("figure.step")];
  const output = document.getElementById("at");
  const button = document.getElementById("play");
  let timer = null;

  function show(step) {
    const shown = Math.min(Math.max(step, 1), frames.length);
    frames.forEach((frame, place) => { frame.hidden = place + 1 !== shown; });
    slider.value = shown;
    output.textContent = `step ${shown} of ${frames.length}`;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    button.textContent = "Play";
  }

  function next() {
    const step = Number(slider.value);
    if (step >= frames.length) stop();
    else show(step + 1);
  }

  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  button.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (Number(slider.value) >= frames.length) show(1);
    button.textContent = "Pause";
    timer = setInterval(next, 700);
  });

  // A link can name a step, as in report.html#step=7.
  const named = /step=(\d+)/.exec(location.hash);
  show(named ? Number(named[1]) : 1);
})();
