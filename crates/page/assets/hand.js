"use strict";
// What keys do, and what is at a point.
(() => {
  const { number, element } = Pellucid;
  const byId = (id) => document.getElementById(id);

  const VIEWS = [
    ["Front", -90, 0], ["Back", 90, 0], ["Left", 180, 0], ["Right", 0, 0],
    ["Top", -90, 90], ["Bottom", -90, -90], ["Corner", -52, 28],
  ];

  const KEYS = [
    ["Drag, one finger", "rotate"],
    ["Shift or right drag, two fingers", "pan"],
    ["Wheel, pinch", "zoom"],
    ["Click, tap", "inspect a point"],
    ["Arrows, Shift + arrows", "rotate, pan"],
    ["+ −", "zoom in, zoom out"],
    ["1 … 7", "front, back, left, right, top, bottom, corner"],
    ["B A W S", "before, after, slider, side by side"],
    ["[ ]", "move the slider or the section"],
    ["C", "next way to color"],
    ["X", "section"],
    ["M", "measure between two points"],
    ["E", "eye-dome lighting"],
    ["U", "change the axis that points up"],
    [", .", "smaller, larger points"],
    ["R", "reset the view"],
    ["P", "save a picture"],
    ["T", "light or dark theme"],
    ["I", "show or hide details"],
  ];

  class Hand extends Pellucid.Colors {
    // What is at a place of the window.
    pick(clientX, clientY) {
      const canvas = this.canvas;
      const box = canvas.getBoundingClientRect();
      const ratio = canvas.width / box.width;
      const x = Math.floor((clientX - box.left) * ratio);
      const y = canvas.height - 1 - Math.floor((clientY - box.top) * ratio);
      const inside = ([cx, cy, w, h]) => x >= cx && x < cx + w && y >= cy && y < cy + h;
      const view = this.views().find((v) => inside(v.clip));
      const row = view ? this.drawer.rowAt(this.scene(), view, x, y, Math.ceil(4 * ratio)) : null;
      const picked = row === null ? null : { layer: view.layer, row };
      if (this.measure.on) this.addMeasured(picked);
      else this.show(picked);
      return this.picked;
    }

    // Shows names and values beside the view.
    card(title, rows) {
      const card = byId("picked");
      card.hidden = false;
      card.querySelector("h2").textContent = title;
      const dl = card.querySelector("dl");
      dl.replaceChildren();
      for (const [name, value] of rows) dl.append(element("dt", name), element("dd", value));
    }

    show(picked) {
      byId("picked").hidden = !picked;
      this.picked = null;
      if (!picked) return;
      const { layer, row } = picked;
      const g = this.group;
      const place = Pellucid.place(g, layer, row);
      const index = row * g.meta.stride;
      const rows = [["cloud", layer.name]];
      // As many digits as the page keeps.
      const digits = (c) => Math.max(0, Math.min(12, Math.ceil(-Math.log10(g.meta.step[c] || 1))));
      place.forEach((v, c) => rows.push(["xyz"[c], v.toFixed(digits(c))]));
      if (g.meta.unit) rows.push(["unit", g.meta.unit]);
      const d = Pellucid.displacements(g, layer);
      const spacings = (v) => `${number(v)} (${Number((v / g.meta.spacing).toPrecision(3))} spacings)`;
      if (d) {
        rows.push(["moved by", spacings(Pellucid.displacement(g, layer, row))]);
        rows.push(["along the normal", spacings(d[row])]);
      }
      if (layer.color) rows.push(["color", [...layer.color.subarray(3 * row, 3 * row + 3)].join(" ")]);
      rows.push(["normal", [0, 1, 2].map((c) => (layer.normal[3 * row + c] / 127).toFixed(2)).join(" ")]);
      for (const s of layer.scalars) {
        const v = Pellucid.valueOf(s, row);
        const named = s.name === "classification" ? `${v} (${this.className(v)})` : String(v);
        const time = Pellucid.isDate(s.name, v) ? `${Pellucid.date(v)} (GPS)` : number(v);
        rows.push([s.name, s.exact ? named : time]);
      }
      this.card(`Point ${index}`, rows);
      this.picked = { layer: layer.name, index, place, displacement: d ? d[row] : null, rows };
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
      if (["SELECT", "INPUT", "TEXTAREA"].includes(event.target.tagName)) return;
      const { camera, canvas } = this;
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const arrow = arrows[event.key];
      if (arrow) {
        event.preventDefault();
        this.touched = true;
        const [dx, dy] = arrow.map((x) => 20 * x);
        if (event.shiftKey) camera.pan(dx, dy, canvas.clientHeight);
        else camera.orbit(dx, dy);
        this.moved();
        return;
      }
      const many = this.group && this.group.layers.length > 1;
      const slide = (by) => {
        if (this.section.on) this.setSection({ place: Math.max(0, Math.min(1, this.section.place + by)) });
        else this.setSplit(this.split + by);
      };
      const actions = {
        "+": () => this.zoom(1.15), "=": () => this.zoom(1.15), "-": () => this.zoom(1 / 1.15),
        b: () => many && this.setMode("before"), a: () => many && this.setMode("after"),
        w: () => many && this.setMode("slider"), s: () => many && this.setMode("beside"),
        "[": () => slide(-0.02), "]": () => slide(0.02),
        c: () => this.nextColor(), x: () => this.setSection({ on: !this.section.on }),
        m: () => this.setMeasure(!this.measure.on), e: () => this.setDome(!this.dome),
        u: () => { camera.up = (camera.up + 2) % 3; this.fit(); },
        ",": () => { this.pointSize = Math.max(0.25, this.pointSize / 1.2); },
        ".": () => { this.pointSize = Math.min(4, this.pointSize * 1.2); },
        r: () => this.reset(), p: () => this.save(), t: () => this.otherTheme(),
        i: () => this.togglePanel(), "?": () => byId("help").showModal(),
        Escape: () => (this.measure.on ? this.setMeasure(false) : this.show(null)),
      };
      const view = VIEWS[Number(event.key) - 1];
      const action = view ? () => this.from(view[1], view[2]) : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action) return;
      event.preventDefault();
      action();
      this.change();
    }
  }

  Object.assign(Pellucid, { Hand, VIEWS, KEYS });
})();
