(() => {
  "use strict";
  const options = {responsive: true, displayModeBar: false};
  const draw = holder => {
    if (holder.dataset.drawn || holder.closest("details:not([open])")) return;
    holder.dataset.drawn = "yes";
    const figure = JSON.parse(holder.nextElementSibling.textContent);
    Plotly.newPlot(holder, figure.data, figure.layout, options);
  };
  const drawAll = () => document.querySelectorAll(".ae-plot").forEach(draw);
  // What is folded has no width to draw in.
  document.addEventListener("toggle", drawAll, true);
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach(fold => { fold.open = true; });
    drawAll();
  });
  drawAll();
})();
