"use strict";
// Elements of the page, and charts. Whatever comes from a file is put in as text, never as markup.
(() => {
  const { number, short } = Pellucid;

  function element(name, text, attributes) {
    const e = document.createElement(name);
    if (text !== undefined && text !== null) e.textContent = text;
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    return e;
  }

  // Elements of a chart. The page holds one from which they take their kind.
  function svg(name, attributes, text) {
    const space = document.getElementById("chart-template").namespaceURI;
    const e = document.createElementNS(space, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  const CHART = { width: 340, height: 120, left: 60, right: 8, top: 8, bottom: 20 };
  // As wide as half of the panel, so that its text has the size of the others.
  const HALF = 165;

  function frame(label, { width, height, left, right, bottom } = CHART) {
    const s = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    s.append(svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
    return s;
  }

  // The title of a chart, with the names of its lines in their colors.
  function caption(title, names) {
    const p = element("p", title, { class: "note" });
    if (names.length > 1) {
      names.forEach((name, k) => {
        p.append(" ", element("span", `● ${name}`, { class: k ? "key second" : "key" }));
      });
    }
    return p;
  }

  // Lines over the iterations: [{name, values}], each value perhaps null.
  function lines(into, title, series) {
    const known = (v) => v !== null && v !== undefined;
    const shown = series.filter((s) => s.values.some(known));
    if (!shown.length) return;
    into.append(caption(title, shown.map((s) => s.name)));
    const { width, height, left, right, top, bottom } = CHART;
    const all = shown.flatMap((s) => s.values).filter(known);
    const hi = Math.max(...all);
    const lo = Math.min(0, ...all);
    const n = Math.max(...shown.map((s) => s.values.length));
    const x = (i) => left + ((width - left - right) * (i + 0.5)) / n;
    const y = (v) => top + ((height - top - bottom) * (hi - v)) / (hi - lo || 1);
    const s = frame(title);
    for (const v of [lo, hi]) s.append(svg("text", { x: left - 6, y: y(v) + 3, "text-anchor": "end" }, short(v)));
    const every = Math.ceil(n / 12);
    for (let i = 0; i < n; i += every) s.append(svg("text", { x: x(i), y: height - 6, "text-anchor": "middle" }, String(i + 1)));
    shown.forEach(({ name, values }, k) => {
      const second = k ? " second" : "";
      const points = values.map((v, i) => [v, i]).filter(([v]) => known(v));
      const path = points.map(([v, i]) => `${x(i).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
      s.append(svg("polyline", { class: "line" + second, points: path }));
      for (const [v, i] of points) {
        const dot = svg("circle", { class: "dot" + second, cx: x(i), cy: y(v), r: 3 });
        dot.append(svg("title", {}, `${name}, iteration ${i + 1}: ${v}`));
        s.append(dot);
      }
    });
    into.append(s);
  }

  // The ends between which 99.5 % of the numbers lie, and those that are finite.
  function spread(values, signed) {
    const finite = [...values].filter(Number.isFinite);
    const sorted = (signed ? finite.map(Math.abs) : finite.slice()).sort((a, b) => a - b);
    const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
    if (!finite.length) return { finite, lo: 0, hi: 0 };
    if (signed) {
      const most = at(0.995) || sorted[sorted.length - 1] || 1;
      return { finite, lo: -most, hi: most };
    }
    const lo = at(0) >= 0 && at(0) < 0.1 * at(0.995) ? 0 : at(0.0025);
    const hi = at(0.9975) > lo ? at(0.9975) : sorted[sorted.length - 1];
    return { finite, lo, hi: hi > lo ? hi : lo + 1 };
  }

  // How many points have which number.
  function bins(into, title, values, { signed = false, text = short, wide = false } = {}) {
    const { finite, lo, hi } = spread(values, signed);
    if (!finite.length) return;
    const size = { ...CHART, width: wide ? CHART.width : HALF, left: 8 };
    const { width, height, left, right, top, bottom } = size;
    const counts = new Array(41).fill(0);
    for (const v of finite) counts[Math.max(0, Math.min(40, Math.round((40 * (v - lo)) / (hi - lo))))]++;
    const tallest = Math.max(...counts);
    const step = (width - left - right) / counts.length;
    into.append(caption(title, []));
    const chart = frame(`${title}: ${finite.length} points from ${text(lo)} to ${text(hi)}`, size);
    counts.forEach((count, k) => {
      const h = ((height - top - bottom) * count) / tallest;
      const bar = svg("rect", { class: "bin", x: left + k * step + 0.5, y: height - bottom - h, width: Math.max(0.5, step - 1), height: h });
      bar.append(svg("title", {}, `${count} points, around ${text(lo + (k / 40) * (hi - lo))}`));
      chart.append(bar);
    });
    const marks = [[lo, left, "start"], [hi, width - right, "end"]];
    if (signed) marks.push([0, left + 20.5 * step, "middle"]);
    for (const [v, x, anchor] of marks) chart.append(svg("text", { x, y: height - 6, "text-anchor": anchor }, text(v)));
    into.append(chart);
  }

  Object.assign(Pellucid, { element, svg, lines, bins });
})();
