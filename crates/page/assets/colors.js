"use strict";
// What points are colored by, and the legend that says so.
(() => {
  const { number, element } = Pellucid;
  const byId = (id) => document.getElementById(id);
  const PLAIN = [196, 192, 186];
  const MISSING = [150, 150, 150];
  // More values than this are amounts, not kinds.
  const MOST_CLASSES = 12;
  // Colors for kinds of points, told apart by people who see colors differently (Okabe & Ito 2008).
  const SHADES = [
    [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [240, 228, 66], [120, 120, 120],
    [90, 60, 140], [150, 90, 40], [60, 140, 60], [40, 60, 70],
  ];
  // The classes of LAS in the colors that maps have for them.
  const CLASS_COLORS = {
    0: [150, 150, 150], 1: [190, 190, 190], 2: [166, 116, 67], 3: [158, 206, 106], 4: [86, 168, 74], 5: [28, 112, 52], 6: [214, 84, 60],
    7: [214, 39, 160], 8: [240, 228, 66], 9: [50, 120, 210], 10: [96, 80, 140], 11: [96, 96, 104], 12: [230, 190, 130],
    13: [250, 170, 60], 14: [240, 130, 30], 15: [120, 60, 20], 16: [200, 150, 90], 17: [140, 140, 190], 18: [255, 60, 210],
  };

  function colorAt(stops, t) {
    const x = Math.max(0, Math.min(1, t)) * (stops.length - 1);
    const i = Math.min(Math.floor(x), stops.length - 2);
    const s = x - i;
    return [0, 1, 2].map((c) => Math.round(stops[i][c] * (1 - s) + stops[i + 1][c] * s));
  }

  const classColor = (v, k) => CLASS_COLORS[v] || SHADES[k % SHADES.length];

  class Colors {
    setColor(what) {
      if (![...byId("color").options].some((o) => o.value === what)) return;
      this.color = what;
      byId("color").value = what;
      this.paint();
    }

    // Colors every layer, and says in the legend what they mean.
    paint() {
      const g = this.group;
      const [kind, name] = [this.color.split(":")[0], this.color.slice(this.color.indexOf(":") + 1)];
      const legend = this.legendOf(kind, name);
      for (const layer of g.layers) {
        const colors = new Uint8Array(4 * layer.n);
        const put = (i, rgb) => {
          colors[4 * i] = rgb[0];
          colors[4 * i + 1] = rgb[1];
          colors[4 * i + 2] = rgb[2];
          colors[4 * i + 3] = 255;
        };
        const values = legend ? this.valuesOf(kind, name, layer) : null;
        if (values && legend.classes) {
          for (let i = 0; i < layer.n; i++) put(i, legend.colors.get(values(i)) || MISSING);
        } else if (values) {
          const table = Array.from({ length: 256 }, (_, k) => colorAt(this.stops(legend), k / 255));
          const [lo, hi] = legend.ends;
          const scale = hi > lo ? 255 / (hi - lo) : 0;
          for (let i = 0; i < layer.n; i++) {
            const v = values(i);
            const k = scale ? Math.max(0, Math.min(255, Math.round((v - lo) * scale))) : 128;
            put(i, Number.isNaN(v) ? MISSING : table[k]);
          }
        } else if (kind === "original" && layer.color) {
          for (let i = 0; i < layer.n; i++) put(i, layer.color.subarray(3 * i, 3 * i + 3));
        } else if (kind === "normal") {
          for (let i = 0; i < layer.n; i++) put(i, [0, 1, 2].map((c) => 128 + layer.normal[3 * i + c]));
        } else {
          const word = new Uint32Array(colors.buffer);
          put(0, PLAIN);
          word.fill(word[0]);
        }
        this.drawer.paint(layer, colors);
      }
      this.legend = legend;
      this.showLegend();
      this.chartValues(kind, name);
      this.change();
    }

    stops(legend) {
      return legend.signed ? this.meta.maps.signed : this.meta.maps.amount;
    }

    // The number of each row of a layer that colors stand for, or null.
    valuesOf(kind, name, layer) {
      const g = this.group;
      if (kind === "displacement") {
        const d = Pellucid.displacements(g, layer);
        return d && ((i) => d[i]);
      }
      if (kind === "scalar") {
        const s = layer.scalars.find((x) => x.name === name);
        return s ? (i) => Pellucid.valueOf(s, i) : null;
      }
      const c = Number(name);
      return (i) => g.meta.origin[c] + layer.position[3 * i + c] * g.meta.step[c];
    }

    // What colors mean: a map of numbers, a list of classes, or null.
    legendOf(kind, name) {
      const g = this.group;
      const unit = g.meta.unit || "file units";
      if (kind === "displacement") {
        const d = g.layers.map((l) => Pellucid.displacements(g, l)).find(Boolean);
        return d ? { title: `Displacement along the normal, ${unit}`, signed: true, ends: signedEnds(d) } : null;
      }
      if (kind === "axis") {
        const c = Number(name);
        const at = (v) => g.meta.origin[c] + v * g.meta.step[c];
        return { title: `${"xyz"[c]}, ${unit}`, signed: false, ends: [at(0), at(65535)] };
      }
      if (kind !== "scalar") return null;
      const classes = this.classesOf(name);
      if (classes) {
        const named = name === "classification";
        const color = ([v], k) => [v, named ? classColor(v, k) : SHADES[k % SHADES.length]];
        return { title: name, classes, named, colors: new Map(classes.map(color)) };
      }
      const ends = this.commonRange(name);
      if (Pellucid.isDate(name, ends[0])) return { title: `GPS time from ${Pellucid.date(ends[0])}`, ends, from: ends[0] };
      const signed = ends[0] < 0 && ends[1] > 0 && /distance|displacement/.test(name);
      const most = Math.max(-ends[0], ends[1]);
      return { title: name, signed, ends: signed ? [-most, most] : ends };
    }

    // The values of an attribute that names kinds of points, each with how many there are; or null.
    classesOf(name) {
      const counts = new Map();
      for (const layer of this.group.layers) {
        const s = layer.scalars.find((x) => x.name === name);
        if (!s) continue;
        if (!s.exact) return null;
        // A moved layer shares them.
        if (layer.from !== null && counts.size) continue;
        for (let i = 0; i < layer.n; i++) {
          const v = Pellucid.valueOf(s, i);
          counts.set(v, (counts.get(v) || 0) + 1);
          if (counts.size > MOST_CLASSES && name !== "classification") return null;
        }
      }
      const found = [...counts].filter(([v]) => Number.isFinite(v)).sort((a, b) => a[0] - b[0]);
      return found.length ? found : null;
    }

    // The name of a class of points.
    className(v) {
      const found = this.meta.classes && this.meta.classes.find(([number]) => number === v);
      return found ? found[1].replaceAll("-", " ") : `class ${v}`;
    }

    // How the numbers are spread that points are colored by.
    chartValues(kind, name) {
      const panel = byId("panel");
      const { legend } = this;
      if (kind !== "scalar" || !legend || legend.classes) {
        Pellucid.valuesChart(panel, name, null);
        return;
      }
      const layer = [...this.group.layers].reverse().find((l) => l.scalars.some((s) => s.name === name));
      const at = this.valuesOf(kind, name, layer);
      const values = Float64Array.from({ length: layer.n }, (_, i) => at(i));
      const text = legend.from === undefined ? number : (v) => `${number(v - legend.from)} s`;
      Pellucid.valuesChart(panel, legend.title, values, { signed: Boolean(legend.signed), text });
    }

    commonRange(name) {
      const found = this.group.layers.map((l) => l.scalars.find((s) => s.name === name)).filter(Boolean);
      return [Math.min(...found.map((s) => s.range[0])), Math.max(...found.map((s) => s.range[1]))];
    }

    showLegend() {
      const { legend } = this;
      byId("legend").hidden = !legend;
      if (!legend) return;
      byId("legend-title").textContent = legend.title;
      const list = byId("legend-list");
      list.replaceChildren();
      for (const id of ["legend-bar", "legend-ends"]) byId(id).hidden = Boolean(legend.classes);
      list.hidden = !legend.classes;
      if (legend.classes) {
        for (const [v, count] of legend.classes) {
          const swatch = element("i");
          swatch.style.background = `rgb(${legend.colors.get(v).join(" ")})`;
          const item = element("li");
          item.append(swatch, element("span", legend.named ? this.className(v) : String(v)), element("em", count.toLocaleString("en")));
          list.append(item);
        }
        return;
      }
      const [lo, hi] = legend.ends;
      const text = legend.from === undefined ? number : (v) => (v === lo ? "0 s" : `${number(v - lo)} s`);
      byId("legend-lo").textContent = text(lo);
      byId("legend-mid").textContent = legend.signed ? "0" : text((lo + hi) / 2);
      byId("legend-hi").textContent = text(hi);
      const bar = byId("legend-bar");
      const pen = bar.getContext("2d");
      for (let x = 0; x < bar.width; x++) {
        pen.fillStyle = `rgb(${colorAt(this.stops(legend), x / (bar.width - 1)).join(" ")})`;
        pen.fillRect(x, 0, 1, bar.height);
      }
    }

    nextColor() {
      const values = [...byId("color").options].map((o) => o.value);
      this.setColor(values[(values.indexOf(this.color) + 1) % values.length]);
    }
  }

  // Ends of the map for lengths with a sign: 98 % lie within.
  function signedEnds(values) {
    const stride = Math.ceil(values.length / 100000);
    const sizes = [];
    for (let i = 0; i < values.length; i += stride) if (Number.isFinite(values[i])) sizes.push(Math.abs(values[i]));
    sizes.sort((a, b) => a - b);
    const most = sizes[Math.floor(0.98 * (sizes.length - 1))] || sizes[sizes.length - 1] || 1;
    return [-most, most];
  }

  Object.assign(Pellucid, { Colors, colorAt, signedEnds });
})();
