"use strict";
// What lies over the view: the axes, a scale bar, and lengths between two points.
(() => {
  const { number, element, svg } = Pellucid;
  const byId = (id) => document.getElementById(id);
  // Pixels that the scale bar has at most, and an arm of the axes.
  const LONGEST = 140;
  const ARM = 26;

  // The largest of 1, 2 and 5 times a power of ten that is not above a number.
  function round(most) {
    const power = 10 ** Math.floor(Math.log10(most));
    return power * ([5, 2, 1].find((k) => k * power <= most) || 1);
  }

  class Overlay extends Pellucid.Hand {
    constructor() {
      super();
      this.measure = { on: false, ends: [] };
      this.dome = false;
    }

    unit() {
      return (this.group && this.group.meta.unit) || "file units";
    }

    // Some of all points, from the middle of the box in diagonals, to fit the view to.
    sample() {
      const g = this.group;
      if (g.sample) return g.sample;
      const out = [];
      for (const layer of g.layers) {
        const stride = Math.max(1, Math.floor(layer.n / 4000));
        for (let i = 0; i < layer.n; i += stride) if (layer.size[i]) out.push(...this.inDiagonals(Pellucid.place(g, layer, i)));
      }
      g.sample = out;
      return out;
    }

    // A place of the file from the middle of the box, in diagonals.
    inDiagonals(place) {
      const g = this.group;
      return place.map((x, c) => (x - g.meta.origin[c] - 0.5 * g.side[c]) / g.diagonal);
    }

    // The whole cloud in each view, unless a hand has moved it.
    fit() {
      if (this.touched || !this.group) return;
      const width = this.canvas.clientWidth * (this.mode === "beside" ? 0.5 : 1);
      this.camera.fit(this.sample(), width / Math.max(1, this.canvas.clientHeight));
    }

    reset() {
      this.camera.reset();
      this.pointSize = 1;
      this.touched = false;
      this.fit();
      this.change();
    }

    zoom(factor) {
      this.touched = true;
      this.camera.zoom(factor);
    }

    setDome(on) {
      this.dome = on;
      byId("dome-button").setAttribute("aria-pressed", on);
      this.change();
    }

    setMeasure(on) {
      this.measure = { on, ends: [] };
      byId("measure-button").setAttribute("aria-pressed", on);
      this.show(null);
      if (on) this.card("Measure", [["", "Click the first point."]]);
      this.change();
    }

    // Takes a point as an end; a third begins a new length.
    addMeasured(picked) {
      if (!picked) return;
      const g = this.group;
      const ends = this.measure.ends.length === 2 ? [] : this.measure.ends;
      ends.push(Pellucid.place(g, picked.layer, picked.row));
      this.measure.ends = ends;
      const unit = this.unit();
      if (ends.length === 1) {
        this.card("Measure", [["", "Click the second point."]]);
      } else {
        const d = [0, 1, 2].map((c) => ends[1][c] - ends[0][c]);
        const rows = [["distance", `${number(Math.hypot(...d))} ${unit}`], ["in x and y", `${number(Math.hypot(d[0], d[1]))} ${unit}`]];
        d.forEach((v, c) => rows.push([`in ${"xyz"[c]}`, `${number(v)} ${unit}`]));
        rows.push(["in spacings", number(Math.hypot(...d) / g.meta.spacing)]);
        this.card("Distance", rows);
        this.measured = Math.hypot(...d);
      }
      this.change();
    }

    // Draws axes, scale bar and measured lengths again.
    overlay() {
      const layer = byId("overlay");
      layer.replaceChildren();
      const { clientWidth: width, clientHeight: height } = this.canvas;
      layer.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.drawScale(width, height);
      this.drawAxes(layer, width, height);
      const half = this.mode === "beside" ? width / 2 : width;
      for (let left = 0; left < width - 1; left += half) this.drawMeasured(layer, left, half, height);
    }

    drawScale(width, height) {
      const view = this.mode === "beside" ? width / 2 : width;
      const perUnit = this.camera.pixels(view, height) / this.group.diagonal;
      const length = round(Math.min(LONGEST, 0.4 * view) / perUnit);
      const text = length >= 1e-4 && length < 1e6 ? String(Number(length.toPrecision(1))) : length.toExponential(0);
      byId("scale").classList.toggle("half", this.mode === "beside");
      byId("scale-bar").style.width = `${length * perUnit}px`;
      byId("scale-text").textContent = `${text} ${this.unit()}`;
      this.scaleLength = length;
    }

    drawAxes(layer, width, height) {
      const { right, up, toward } = this.camera.axes();
      const [x, y] = [width - 46, height - 92];
      const arms = [0, 1, 2].map((c) => ({ c, dx: right[c] * ARM, dy: -up[c] * ARM, depth: toward[c] }));
      // Those that point away from the eye first.
      arms.sort((a, b) => a.depth - b.depth);
      for (const { c, dx, dy } of arms) {
        const name = "xyz"[c];
        layer.append(svg("line", { class: `arm ${name}`, x1: x, y1: y, x2: x + dx, y2: y + dy }));
        layer.append(svg("text", { class: `arm ${name}`, x: x + 1.35 * dx, y: y + 1.35 * dy + 4, "text-anchor": "middle" }, name));
      }
    }

    drawMeasured(layer, left, width, height) {
      const seen = this.measure.ends.map((p) => this.camera.project(this.inDiagonals(p), width, height));
      if (seen.some((p) => !p)) return;
      const ends = seen.map(([x, y]) => [x + left, y]);
      if (ends.length === 2) {
        const [[x1, y1], [x2, y2]] = ends;
        layer.append(svg("line", { class: "ruler under", x1, y1, x2, y2 }), svg("line", { class: "ruler", x1, y1, x2, y2 }));
        const text = `${number(this.measured)} ${this.unit()}`;
        layer.append(svg("text", { class: "ruler", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 8, "text-anchor": "middle" }, text));
      }
      for (const [cx, cy] of ends) layer.append(svg("circle", { class: "ruler", cx, cy, r: 5 }));
    }
  }

  Object.assign(Pellucid, { Overlay, element });
})();
