"use strict";
// What points are coloured by, and the legend that says so.
(() => {
  const { number } = Pellucid;
  const byId = (id) => document.getElementById(id);
  const PLAIN = [196, 192, 186];
  const MISSING = [150, 150, 150];

  function colorAt(stops, t) {
    const x = Math.max(0, Math.min(1, t)) * (stops.length - 1);
    const i = Math.min(Math.floor(x), stops.length - 2);
    const s = x - i;
    return [0, 1, 2].map((c) => Math.round(stops[i][c] * (1 - s) + stops[i + 1][c] * s));
  }

  class Colours {
    setColor(what) {
      this.color = what;
      byId("color").value = what;
      this.paint();
    }

    // Colours every layer, and says in the legend what they mean.
    paint() {
      const g = this.group;
      const [kind, name] = [this.color.split(":")[0], this.color.slice(this.color.indexOf(":") + 1)];
      let legend = null;
      const tables = new Map();
      for (const layer of g.layers) {
        const colors = new Uint8Array(4 * layer.n);
        const put = (i, rgb) => {
          colors[4 * i] = rgb[0];
          colors[4 * i + 1] = rgb[1];
          colors[4 * i + 2] = rgb[2];
          colors[4 * i + 3] = 255;
        };
        let values = null;
        if (kind === "displacement") {
          const d = Pellucid.displacements(g, layer);
          if (d) {
            legend = legend || { title: "Displacement along the normal", signed: true, ends: Pellucid.signedEnds(d) };
            values = (i) => d[i];
          }
        } else if (kind === "scalar") {
          const s = layer.scalars.find((x) => x.name === name);
          if (s) {
            legend = legend || { title: s.name, signed: false, ends: this.commonRange(name) };
            values = (i) => Pellucid.valueOf(s, i);
          }
        } else if (kind === "axis") {
          const c = Number(name);
          const at = (v) => g.meta.origin[c] + v * g.meta.step[c];
          legend = legend || { title: "xyz"[c], signed: false, ends: [at(0), at(65535)] };
          values = (i) => at(layer.position[3 * i + c]);
        }
        if (values) {
          const stops = legend.signed ? this.meta.maps.signed : this.meta.maps.amount;
          const key = legend.signed;
          if (!tables.has(key)) tables.set(key, Array.from({ length: 256 }, (_, k) => colorAt(stops, k / 255)));
          const table = tables.get(key);
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
      this.change();
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
      const [lo, hi] = legend.ends;
      byId("legend-lo").textContent = number(lo);
      byId("legend-mid").textContent = legend.signed ? "0" : number((lo + hi) / 2);
      byId("legend-hi").textContent = number(hi);
      const bar = byId("legend-bar");
      const pen = bar.getContext("2d");
      const stops = legend.signed ? this.meta.maps.signed : this.meta.maps.amount;
      for (let x = 0; x < bar.width; x++) {
        pen.fillStyle = `rgb(${colorAt(stops, x / (bar.width - 1)).join(" ")})`;
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

  Object.assign(Pellucid, { Colours, colorAt, signedEnds });
})();
