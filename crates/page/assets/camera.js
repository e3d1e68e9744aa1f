"use strict";
// Where the eye is, and how hands and keys move it. Lengths are in diagonals of the cloud's box.
(() => {
  const HALF_VIEW = 0.26;
  // Share of the picture that a cloud is fitted into.
  const FILLED = 0.92;

  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const mix = (a, x, b, y) => [a[0] * x + b[0] * y, a[1] * x + b[1] * y, a[2] * x + b[2] * y];

  class Camera {
    constructor() {
      this.up = 2;
      this.reset();
    }

    reset() {
      this.azimuth = -52;
      this.elevation = 28;
      this.target = [0, 0, 0];
      this.distance = 0.42 / HALF_VIEW;
    }

    // Goes back until `points` (from the middle of the box, x y z one after the other) are all in a picture of
    // that aspect; small clouds are not brought nearer than usual.
    fit(points, aspect) {
      const { right, up, toward } = this.axes();
      const across = (FILLED * Math.max(1, aspect)) * HALF_VIEW;
      const high = (FILLED / Math.min(1, aspect)) * HALF_VIEW;
      this.distance = 0.42 / HALF_VIEW;
      for (let k = 0; k < points.length; k += 3) {
        const p = sub([points[k], points[k + 1], points[k + 2]], this.target);
        const near = dot(p, toward);
        const needed = near + Math.max(Math.abs(dot(p, right)) / across, Math.abs(dot(p, up)) / high);
        if (needed > this.distance) this.distance = needed;
      }
    }

    // Where a place (in diagonals, from the middle of the box) is in a picture of that size, or null behind the eye.
    project(place, width, height) {
      const { right, up, toward } = this.axes();
      const p = sub(place, this.eye());
      const depth = -dot(p, toward);
      if (depth <= 0) return null;
      const aspect = width / height;
      const f = Math.min(1, aspect) / HALF_VIEW;
      return [
        (0.5 + (0.5 * f * dot(p, right)) / (aspect * depth)) * width,
        (0.5 - (0.5 * f * dot(p, up)) / depth) * height,
      ];
    }

    // Pixels of one diagonal at the middle of a picture that many pixels wide and high.
    pixels(width, height) {
      return (0.5 * height * Math.min(1, width / height)) / (HALF_VIEW * this.distance);
    }

    // The axes of the picture: right, up, toward the eye.
    axes() {
      const a = (this.azimuth * Math.PI) / 180;
      const e = (this.elevation * Math.PI) / 180;
      const turn = (v) => {
        if (this.up === 1) return [v[0], v[2], -v[1]];
        if (this.up === 0) return [v[2], v[0], v[1]];
        return v;
      };
      const toward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
      const right = [-Math.sin(a), Math.cos(a), 0];
      const up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
      return { right: turn(right), up: turn(up), toward: turn(toward) };
    }

    eye() {
      return mix(this.target, 1, this.axes().toward, this.distance);
    }

    // Column-major matrices for a picture of that aspect.
    matrices(aspect) {
      const { right, up, toward } = this.axes();
      const eye = this.eye();
      const view = new Float32Array([
        right[0], up[0], toward[0], 0,
        right[1], up[1], toward[1], 0,
        right[2], up[2], toward[2], 0,
        -dot(right, eye), -dot(up, eye), -dot(toward, eye), 1,
      ]);
      // A narrow picture shows as much across as a square one.
      const f = Math.min(1, aspect) / HALF_VIEW;
      const near = Math.max(this.distance * 0.02, this.distance - 2.5);
      const far = this.distance + 2.5;
      const projection = new Float32Array([
        f / aspect, 0, 0, 0,
        0, f, 0, 0,
        0, 0, (far + near) / (near - far), -1,
        0, 0, (2 * far * near) / (near - far), 0,
      ]);
      return { view, projection, focal: f, near, far };
    }

    orbit(dx, dy) {
      this.azimuth -= dx * 0.4;
      this.elevation = Math.max(-90, Math.min(90, this.elevation + dy * 0.4));
    }

    // A move of the picture by so many pixels of a view that many pixels high.
    pan(dx, dy, height) {
      const { right, up } = this.axes();
      const unit = (2 * this.distance * HALF_VIEW) / height;
      this.target = mix(this.target, 1, mix(right, -dx * unit, up, dy * unit), 1);
    }

    // Comes closer by a factor, keeping the place at (x, y) of the picture (-1 to 1, and the aspect).
    zoom(factor, x = 0, y = 0, aspect = 1) {
      const next = Math.max(0.005, Math.min(20, this.distance / factor));
      const shift = (this.distance - next) * HALF_VIEW / Math.min(1, aspect);
      const { right, up } = this.axes();
      this.target = mix(this.target, 1, mix(right, x * aspect * shift, up, y * shift), 1);
      this.distance = next;
    }

    from(azimuth, elevation) {
      this.azimuth = azimuth;
      this.elevation = elevation;
    }

    state() {
      const { azimuth, elevation, target, distance, up } = this;
      return { azimuth, elevation, target, distance, up };
    }
  }

  // Mouse, pen and fingers on the canvas: turn, move, come closer, pick.
  function hands(canvas, camera, listener) {
    const down = new Map();
    let moved = 0;
    let apart = 0;
    // In a view of several, the place within the one under the pointer.
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return listener.within(event.clientX - box.left, event.clientY - box.top, box);
    };
    const middle = () => {
      const all = [...down.values()];
      const x = all.reduce((s, p) => s + p.x, 0) / all.length;
      const y = all.reduce((s, p) => s + p.y, 0) / all.length;
      const gap = all.length > 1 ? Math.hypot(all[0].x - all[1].x, all[0].y - all[1].y) : 0;
      return { x, y, gap };
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (down.size === 1) moved = 0;
      apart = middle().gap;
    });
    canvas.addEventListener("pointermove", (event) => {
      const old = down.get(event.pointerId);
      if (!old) return;
      const before = middle();
      down.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const now = middle();
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      moved += Math.abs(event.clientX - old.x) + Math.abs(event.clientY - old.y);
      const height = canvas.clientHeight;
      if (down.size > 1) {
        camera.pan(dx, dy, height);
        if (apart > 0 && now.gap > 0) camera.zoom(now.gap / apart);
        apart = now.gap;
      } else if (event.shiftKey || event.buttons & 6) {
        camera.pan(dx, dy, height);
      } else {
        camera.orbit(dx, dy);
      }
      listener.moved();
    });
    const up = (event) => {
      if (!down.delete(event.pointerId)) return;
      if (event.type === "pointerup" && moved < 5 && down.size === 0) listener.picked(event);
      apart = down.size ? middle().gap : 0;
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      const { x, y, aspect } = at(event);
      camera.zoom(Math.exp(-event.deltaY * lines * 0.0015), x, y, aspect);
      listener.moved();
    }, { passive: false });
  }

  Object.assign(Pellucid, { Camera, hands, vector: { sub, dot, mix } });
})();
