"use strict";
// The page's controls and its state.
(() => {
  const { VIEWS, KEYS, element } = Pellucid;
  const byId = (id) => document.getElementById(id);
  // Frames slower than this show fewer points while the view moves.
  const SLOW = 40;
  const QUIET = 180;
  // But never fewer than this.
  const LEAST = 20000;
  const FIRST = 200000;

  class App extends Pellucid.Overlay {
    constructor(meta, text) {
      super();
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
      new ResizeObserver(() => {
        this.fit();
        this.change();
      }).observe(this.canvas);
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
      byId("group").value = String(index);
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
      this.touched = Boolean(old);
      this.offer();
      this.setMeasure(false);
      this.setMode(g.layers.length > 1 ? this.wantedMode || "slider" : "before");
      Pellucid.panel(byId("panel"), this.meta, g);
      this.paint();
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
      // Short names, with folders where files have the same name.
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
      byId("measure-button").addEventListener("click", () => this.setMeasure(!this.measure.on));
      byId("dome-button").addEventListener("click", () => this.setDome(!this.dome));
      byId("shot").addEventListener("click", () => this.save());
      byId("theme").addEventListener("click", () => this.otherTheme());
      byId("panel-button").addEventListener("click", () => this.togglePanel());
      byId("help-button").addEventListener("click", () => byId("help").showModal());
      byId("picked-close").addEventListener("click", () => (this.measure.on ? this.setMeasure(false) : this.show(null)));
      for (const [key, what] of KEYS) byId("help").querySelector("dl").append(element("dt", key), element("dd", what));
      VIEWS.forEach(([name, a, e]) => {
        const b = element("button", name, { type: "button" });
        b.addEventListener("click", () => this.from(a, e));
        byId("views").append(b);
      });
      Pellucid.hands(this.canvas, this.camera, {
        moved: () => {
          this.touched = true;
          this.moved();
        },
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

    // The choices that fit the group: modes, and colors.
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
      if (g.layers.some((l) => l.color)) add("original", "Original colors");
      add("plain", "Plain");
      if (g.layers.some((l) => Pellucid.displacements(g, l))) add("displacement", "Displacement");
      add("normal", "Normals");
      const names = new Set(g.layers.flatMap((l) => l.scalars.map((s) => s.name)));
      for (const name of names) add(`scalar:${name}`, name);
      for (const [c, axis] of ["x", "y", "z"].entries()) if (!names.has(axis)) add(`axis:${c}`, axis);
      const values = [...color.options].map((o) => o.value);
      // A page may say what it is best begun with.
      const first = g.meta.start && values.includes(g.meta.start.color) ? g.meta.start.color : values[0];
      if (!values.includes(this.color)) this.color = first;
      color.value = this.color;
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
      this.fit();
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
      this.fit();
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
        dome: this.dome,
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
      this.overlay();
      this.frames++;
    }

    async save() {
      this.render(true, 1);
      const blob = await new Promise((done) => this.canvas.toBlob(done, "image/png"));
      const link = element("a", null, { download: "pellucid.png", href: URL.createObjectURL(blob) });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      return blob.size;
    }
  }

  Object.assign(Pellucid, { App });
})();
