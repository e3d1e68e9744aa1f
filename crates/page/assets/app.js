"use strict";
// The page's controls and its state.
(() => {
  const { number, element } = Pellucid;
  const byId = (id) => document.getElementById(id);
  const PLAIN = [196, 192, 186];
  const MISSING = [150, 150, 150];
  // Frames slower than this show fewer points while the view moves.
  const SLOW = 40;
  const QUIET = 180;
  // But never fewer than this.
  const LEAST = 20000;
  const FIRST = 200000;

  const VIEWS = [
    ["Front", -90, 0], ["Back", 90, 0], ["Left", 180, 0], ["Right", 0, 0],
    ["Top", -90, 90], ["Bottom", -90, -90], ["Corner", -52, 28],
  ];

  const KEYS = [
    ["Drag, one finger", "turn"],
    ["Shift or right drag, two fingers", "move"],
    ["Wheel, pinch", "come closer"],
    ["Click, tap", "what is at this point"],
    ["Arrows, Shift + arrows", "turn, move"],
    ["+ −", "closer, farther"],
    ["1 … 7", "front, back, left, right, top, bottom, corner"],
    ["B A W S", "before, after, slider, side by side"],
    ["[ ]", "move the slider or the section"],
    ["C", "next colour"],
    ["X", "section"],
    ["U", "another axis up"],
    [", .", "smaller, larger points"],
    ["R", "back to the start"],
    ["P", "save a picture"],
    ["T", "light or dark"],
    ["I", "the run"],
  ];

  function colorAt(stops, t) {
    const x = Math.max(0, Math.min(1, t)) * (stops.length - 1);
    const i = Math.min(Math.floor(x), stops.length - 2);
    const s = x - i;
    return [0, 1, 2].map((c) => Math.round(stops[i][c] * (1 - s) + stops[i + 1][c] * s));
  }

  class App {
    constructor(meta, text) {
      this.meta = meta;
      this.text = text;
      this.camera = new Pellucid.Camera();
      this.canvas = byId("canvas");
      this.drawer = new Pellucid.Drawer(this.canvas);
      this.mode = "after";
      this.split = 0.5;
      this.share = 1;
      this.scale = 1;
      this.pointSize = 1;
      this.frames = 0;
      this.section = { on: false, axis: 2, place: 0.5, slab: 1, flip: false };
      this.groups = [];
      this.controls();
      this.theme(this.remembered("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => {
        if (!this.remembered("theme")) this.theme(e.matches ? "dark" : "light");
      });
      new ResizeObserver(() => this.change()).observe(this.canvas);
    }

    // Storage may be forbidden, as for files in some browsers; then nothing is remembered.
    remembered(key, value) {
      try {
        if (value !== undefined) sessionStorage.setItem(`pellucid-${key}`, value);
        return sessionStorage.getItem(`pellucid-${key}`);
      } catch {
        return null;
      }
    }

    // Other clouds instead of the present ones.
    replace(meta, text) {
      Object.assign(this, { meta, text, groups: [], group: null });
      this.drawer.clear();
      this.show(null);
      byId("title").textContent = meta.title;
      delete document.documentElement.dataset.ready;
    }

    async open(index) {
      const status = byId("status");
      status.hidden = false;
      if (!this.groups[index]) {
        this.groups[index] = await Pellucid.group(this.meta.groups[index], (id) => this.text(index, id));
      }
      this.group = this.groups[index];
      const g = this.group;
      for (const layer of g.layers) {
        if (!g.order.has(layer.n)) g.order.set(layer.n, Pellucid.order(layer.n));
        if (!this.drawer.clouds.has(layer)) this.drawer.add(layer, g.order.get(layer.n));
      }
      this.left = g.layers[0];
      this.right = g.layers[g.layers.length - 1];
      // A guess until frames have been timed.
      this.share = Math.min(1, FIRST / Math.max(1, ...g.layers.map((l) => l.n)));
      const old = JSON.parse(this.remembered("camera") || "null");
      if (old) Object.assign(this.camera, old);
      this.offer();
      this.setMode(g.layers.length > 1 ? this.wantedMode || "slider" : "before");
      this.paint();
      Pellucid.panel(byId("panel"), this.meta, g);
      status.hidden = true;
      // A quick picture at once, the fine one after it.
      this.moved();
      await this.painted();
      document.documentElement.dataset.ready = "true";
    }

    // Resolves once something is on the screen.
    painted() {
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }

    // Resolves once the present state is there in full.
    async drawn() {
      while (performance.now() - this.moving < 2 * QUIET) await new Promise((done) => setTimeout(done, 30));
      await this.painted();
    }

    controls() {
      byId("title").textContent = this.meta.title;
      byId("title").title = this.meta.title;
      const group = byId("group");
      this.meta.groups.forEach((g, i) => group.append(element("option", g.name, { value: i })));
      group.hidden = this.meta.groups.length < 2;
      group.addEventListener("change", () => this.open(Number(group.value)));
      byId("color").addEventListener("change", (e) => this.setColor(e.target.value));
      byId("section-button").addEventListener("click", () => this.setSection({ on: !this.section.on }));
      byId("section-axis").addEventListener("change", (e) => this.setSection({ axis: Number(e.target.value) }));
      byId("section-place").addEventListener("input", (e) => this.setSection({ place: e.target.value / 1000 }));
      byId("section-slab").addEventListener("input", (e) => this.setSection({ slab: e.target.value / 1000 }));
      byId("section-flip").addEventListener("change", (e) => this.setSection({ flip: e.target.checked }));
      byId("section").addEventListener("submit", (e) => e.preventDefault());
      byId("shot").addEventListener("click", () => this.save());
      byId("theme").addEventListener("click", () => this.otherTheme());
      byId("panel-button").addEventListener("click", () => this.togglePanel());
      byId("help-button").addEventListener("click", () => byId("help").showModal());
      byId("picked-close").addEventListener("click", () => this.show(null));
      for (const [key, what] of KEYS) byId("help").querySelector("dl").append(element("dt", key), element("dd", what));
      VIEWS.forEach(([name, a, e]) => {
        const b = element("button", name, { type: "button" });
        b.addEventListener("click", () => this.from(a, e));
        byId("views").append(b);
      });
      Pellucid.hands(this.canvas, this.camera, {
        moved: () => this.moved(),
        picked: (e) => this.pick(e.clientX, e.clientY),
        within: (x, y, box) => {
          const half = this.mode === "beside" ? 0.5 : 1;
          const w = box.width * half;
          return { x: (2 * (x % w)) / w - 1, y: 1 - (2 * y) / box.height, aspect: w / box.height };
        },
      });
      this.dragDivider(byId("divider"));
      addEventListener("keydown", (e) => this.key(e));
    }

    dragDivider(divider) {
      const to = (e) => {
        const box = this.canvas.getBoundingClientRect();
        this.setSplit((e.clientX - box.left) / box.width);
      };
      divider.addEventListener("pointerdown", (e) => {
        divider.setPointerCapture(e.pointerId);
        to(e);
      });
      divider.addEventListener("pointermove", (e) => {
        if (divider.hasPointerCapture(e.pointerId)) to(e);
      });
      divider.addEventListener("keydown", (e) => {
        const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[e.key];
        if (!step) return;
        e.preventDefault();
        e.stopPropagation();
        this.setSplit(this.split + step);
      });
    }

    // The choices that fit the group: modes, and colours.
    offer() {
      const g = this.group;
      const modes = byId("modes");
      modes.replaceChildren();
      const many = g.layers.length > 1;
      const offers = many
        ? [["before", this.left.name], ["after", this.right.name], ["slider", "Slider"], ["beside", "Side by side"]]
        : [];
      for (const [mode, name] of offers) {
        const b = element("button", name, { type: "button", "data-mode": mode });
        b.addEventListener("click", () => this.setMode(mode));
        modes.append(b);
      }
      // With more than two clouds, left and right are chosen.
      if (g.layers.length > 2) {
        for (const side of ["left", "right"]) {
          const s = element("select", null, { "aria-label": `Cloud on the ${side}` });
          g.layers.forEach((l, i) => s.append(element("option", l.name, { value: i })));
          s.value = String(g.layers.indexOf(this[side]));
          s.addEventListener("change", () => {
            this[side] = g.layers[Number(s.value)];
            this.setMode(this.mode);
            this.paint();
          });
          modes.append(s);
        }
      }
      const color = byId("color");
      color.replaceChildren();
      const add = (value, name) => color.append(element("option", name, { value }));
      if (g.layers.some((l) => l.color)) add("original", "Own colours");
      add("plain", "Plain");
      if (g.layers.some((l) => Pellucid.displacements(g, l))) add("displacement", "Displacement");
      add("normal", "Normals");
      const names = new Set(g.layers.flatMap((l) => l.scalars.map((s) => s.name)));
      for (const name of names) add(`scalar:${name}`, name);
      for (const [c, axis] of ["x", "y", "z"].entries()) if (!names.has(axis)) add(`axis:${c}`, axis);
      const values = [...color.options].map((o) => o.value);
      if (!values.includes(this.color)) this.color = values[0];
      color.value = this.color;
    }

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

    setMode(mode) {
      this.mode = mode;
      if (this.group.layers.length > 1) this.wantedMode = mode;
      for (const b of byId("modes").querySelectorAll("button")) b.setAttribute("aria-pressed", b.dataset.mode === mode);
      const two = mode === "slider" || mode === "beside";
      byId("divider").hidden = mode !== "slider";
      byId("tag-right").hidden = !two;
      byId("tag-left").textContent = this.group.layers.length > 1 ? (mode === "after" ? this.right : this.left).name : "";
      byId("tag-right").textContent = this.right.name;
      this.setSplit(this.split);
    }

    setSplit(at) {
      this.split = Math.max(0.02, Math.min(0.98, at));
      const divider = byId("divider");
      divider.style.left = `${100 * this.split}%`;
      divider.setAttribute("aria-valuenow", Math.round(100 * this.split));
      this.change();
    }

    setSection(change) {
      Object.assign(this.section, change);
      const s = this.section;
      byId("section").hidden = !s.on;
      byId("section-button").setAttribute("aria-pressed", s.on);
      byId("section-axis").value = String(s.axis);
      byId("section-place").value = String(1000 * s.place);
      byId("section-slab").value = String(1000 * s.slab);
      byId("section-flip").checked = s.flip;
      this.change();
    }

    theme(name) {
      document.documentElement.dataset.theme = name;
      this.change();
    }

    otherTheme() {
      const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      this.remembered("theme", next);
      this.theme(next);
    }

    togglePanel() {
      const off = document.body.classList.toggle("still");
      byId("panel-button").setAttribute("aria-pressed", !off);
      this.change();
    }

    from(azimuth, elevation) {
      this.camera.from(azimuth, elevation);
      this.change();
    }

    // What all views share.
    scene() {
      const g = this.group;
      const side = g.side.map((s) => s / g.diagonal);
      const s = this.section;
      const sign = s.flip ? -1 : 1;
      const plane = [0, 0, 0, 0];
      plane[s.axis] = sign;
      plane[3] = sign * (s.place - 0.5) * side[s.axis];
      // Nothing is thicker than the whole box.
      const slab = s.on ? Math.max(s.slab * side[s.axis], 1e-6) + (s.slab >= 1 ? 10 : 0) : 0;
      const css = getComputedStyle(document.documentElement);
      const rgb = (name) => {
        const hex = css.getPropertyValue(name).trim();
        return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
      };
      return {
        side, plane, slab,
        diagonal: g.diagonal,
        steps: g.meta.size_steps,
        size: 0.9 * this.pointSize,
        ratio: this.canvas.width / Math.max(1, this.canvas.clientWidth),
        top: rgb("--top"),
        bottom: rgb("--bottom"),
      };
    }

    views() {
      const { width, height } = this.canvas;
      const whole = [0, 0, width, height];
      const one = (layer, port, clip) => ({ layer, port, clip, matrices: this.camera.matrices(port[2] / port[3]) });
      if (this.mode === "beside") {
        const half = Math.floor(width / 2);
        const a = [0, 0, half - 1, height];
        const b = [half + 1, 0, width - half - 1, height];
        return [one(this.left, a, a), one(this.right, b, b)];
      }
      if (this.mode === "slider") {
        const x = Math.round(width * this.split);
        return [one(this.left, whole, [0, 0, x, height]), one(this.right, whole, [x, 0, width - x, height])];
      }
      return [one(this.mode === "after" ? this.right : this.left, whole, whole)];
    }

    // Draws a quick picture while things move, a fine one when they rest.
    moved() {
      this.moving = performance.now();
      // On a slow machine the frame may come long after the hand.
      this.hand = true;
      this.change();
    }

    change() {
      this.dirty = true;
      if (!this.asked) {
        this.asked = true;
        requestAnimationFrame((now) => this.frame(now));
      }
    }

    frame(now) {
      this.asked = false;
      if (!this.group) return;
      const moving = this.hand || (this.moving !== undefined && performance.now() - this.moving < QUIET);
      this.hand = false;
      if (moving && this.last !== undefined) this.adapt(now - this.last);
      this.last = moving ? now : undefined;
      if (this.dirty) {
        this.dirty = false;
        this.render(!moving, moving ? Math.min(1, this.share) : 1);
      }
      if (moving) {
        clearTimeout(this.rest);
        this.rest = setTimeout(() => {
          this.remembered("camera", JSON.stringify(this.camera.state()));
          this.change();
        }, QUIET + 20);
      }
    }

    adapt(took) {
      // A pause is no slow frame.
      if (took > 1500) return;
      // First a coarser picture, then fewer points; back when there is time to spare.
      this.slow = 0.7 * (this.slow || SLOW) + 0.3 * took;
      if (this.slow > 1.4 * SLOW) this.scale = 0.5;
      if (this.slow < 0.45 * SLOW) this.scale = 1;
      const factor = Math.max(0.6, Math.min(1.25, SLOW / took));
      const least = Math.min(1, LEAST / Math.max(this.left.n, this.right.n));
      this.share = Math.max(least, Math.min(1, this.share * factor));
    }

    render(fine, share) {
      const canvas = this.canvas;
      const ratio = Math.min(devicePixelRatio || 1, 2) * (fine ? 1 : this.scale);
      const width = Math.max(2, Math.round(canvas.clientWidth * ratio));
      const height = Math.max(2, Math.round(canvas.clientHeight * ratio));
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
      }
      this.drawer.draw(this.scene(), this.views(), { fine, share });
      this.frames++;
    }

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
      this.show(row === null ? null : { layer: view.layer, row });
      return this.picked;
    }

    show(picked) {
      const card = byId("picked");
      card.hidden = !picked;
      this.picked = null;
      if (!picked) return;
      const { layer, row } = picked;
      const g = this.group;
      const place = Pellucid.place(g, layer, row);
      const index = row * g.meta.stride;
      card.querySelector("h2").textContent = `Point ${index}`;
      const rows = [["cloud", layer.name]];
      // As many digits as the page keeps.
      const digits = (c) => Math.max(0, Math.min(12, Math.ceil(-Math.log10(g.meta.step[c] || 1))));
      place.forEach((v, c) => rows.push(["xyz"[c], v.toFixed(digits(c))]));
      const d = Pellucid.displacements(g, layer);
      const spacings = (v) => `${number(v)} (${Number((v / g.meta.spacing).toPrecision(3))} spacings)`;
      if (d) {
        rows.push(["moved by", spacings(Pellucid.way(g, layer, row))]);
        rows.push(["along the normal", spacings(d[row])]);
      }
      if (layer.color) rows.push(["colour", [...layer.color.subarray(3 * row, 3 * row + 3)].join(" ")]);
      rows.push(["normal", [0, 1, 2].map((c) => (layer.normal[3 * row + c] / 127).toFixed(2)).join(" ")]);
      for (const s of layer.scalars) {
        const v = Pellucid.valueOf(s, row);
        rows.push([s.name, s.exact ? String(v) : number(v)]);
      }
      const dl = card.querySelector("dl");
      dl.replaceChildren();
      for (const [name, value] of rows) dl.append(element("dt", name), element("dd", value));
      this.picked = { layer: layer.name, index, place, displacement: d ? d[row] : null, rows };
    }

    async save() {
      this.render(true, 1);
      const blob = await new Promise((done) => this.canvas.toBlob(done, "image/png"));
      const link = element("a", null, { download: "pellucid.png", href: URL.createObjectURL(blob) });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      return blob.size;
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
      if (["SELECT", "INPUT", "TEXTAREA"].includes(event.target.tagName)) return;
      const { camera, canvas } = this;
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const arrow = arrows[event.key];
      if (arrow) {
        event.preventDefault();
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
        "+": () => camera.zoom(1.15), "=": () => camera.zoom(1.15), "-": () => camera.zoom(1 / 1.15),
        b: () => many && this.setMode("before"), a: () => many && this.setMode("after"),
        w: () => many && this.setMode("slider"), s: () => many && this.setMode("beside"),
        "[": () => slide(-0.02), "]": () => slide(0.02),
        c: () => this.nextColor(), x: () => this.setSection({ on: !this.section.on }),
        u: () => { camera.up = (camera.up + 2) % 3; },
        ",": () => { this.pointSize = Math.max(0.25, this.pointSize / 1.2); },
        ".": () => { this.pointSize = Math.min(4, this.pointSize * 1.2); },
        r: () => { camera.reset(); this.pointSize = 1; }, p: () => this.save(), t: () => this.otherTheme(),
        i: () => this.togglePanel(), "?": () => byId("help").showModal(),
        Escape: () => this.show(null),
      };
      const view = VIEWS[Number(event.key) - 1];
      const action = view ? () => camera.from(view[1], view[2]) : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action) return;
      event.preventDefault();
      action();
      this.change();
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

  Object.assign(Pellucid, { App, colorAt, signedEnds });
})();
