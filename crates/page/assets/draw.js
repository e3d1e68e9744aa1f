"use strict";
// Draws clouds with WebGL 2: disks that lie in the surface, then outlines where depth jumps
// (eye-dome lighting, Boucheny 2009).
(() => {
  // Light on a surface of normal n, in the axes of the picture.
  const LIGHT = `
    uniform float uFlat;      // one: colors as they are, for shading by depth only
    vec3 lit(vec3 n, vec3 color) {
      if (uFlat > 0.5) return color;
      vec3 light = normalize(vec3(-0.45, 0.6, 0.66));
      float key = max(dot(n, light), 0.0);
      float side = max(dot(n, normalize(vec3(0.8, 0.1, 0.55))), 0.0);
      float sky = 0.5 + 0.5 * n.y;
      float gloss = pow(max(dot(n, normalize(light + vec3(0.0, 0.0, 1.0))), 0.0), 32.0);
      return color * (0.38 + 0.18 * sky + 0.52 * key + 0.18 * side) + 0.06 * gloss;
    }`;

  // Each kind of program is given what it needs and no more: in software rendering, what a point
  // hands on costs as much as what is done with it.
  const vertex = (out, end) => `#version 300 es
    precision highp float;
    layout(location = 0) in vec3 aPosition;
    layout(location = 1) in vec3 aNormal;
    layout(location = 2) in float aSize;
    layout(location = 3) in vec4 aColor;
    uniform mat4 uView;
    uniform mat4 uProjection;
    uniform vec3 uSide;
    uniform vec4 uSizes;      // spacing, steps a doubling, middle, factor
    uniform float uPixels;    // pixels of one unit at distance one
    uniform vec4 uPlane;
    uniform float uSlab;
    ${out}
    ${LIGHT}
    void main() {
      vec3 p = (aPosition - 0.5) * uSide;
      vec4 v = uView * vec4(p, 1.0);
      float depth = dot(p, uPlane.xyz) - uPlane.w;
      bool cut = uSlab > 0.0 && (depth > 0.0 || depth < -uSlab);
      if (aSize < 0.5 || cut) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        gl_PointSize = 0.0;
        return;
      }
      float radius = uSizes.x * exp2((aSize - uSizes.z) / uSizes.y) * uSizes.w;
      gl_Position = uProjection * v;
      gl_PointSize = clamp(2.0 * radius * uPixels / -v.z, 1.0, 64.0);
      vec3 n = mat3(uView) * aNormal;
      float l = length(n);
      n = l > 0.1 ? n / l : vec3(0.0, 0.0, 1.0);
      n = dot(n, v.xyz) > 0.0 ? -n : n;
      ${end}
    }`;

  const FINE_VERTEX = vertex(
    "flat out vec4 vNormal; flat out vec3 vColor;",
    "vNormal = vec4(n, radius); vColor = lit(n, aColor.rgb);",
  );
  const FINE = `#version 300 es
    precision highp float;
    flat in vec4 vNormal;
    flat in vec3 vColor;
    uniform mat4 uProjection;
    layout(location = 0) out vec4 oColor;
    void main() {
      vec2 c = vec2(gl_PointCoord.x, 1.0 - gl_PointCoord.y) * 2.0 - 1.0;
      float rise = -dot(c, vNormal.xy) / max(vNormal.z, 0.3);
      if (dot(c, c) + rise * rise > 1.0) discard;
      // The disk's own depth at this place, so that disks of one surface meet cleanly.
      float z = 1.0 / gl_FragCoord.w - rise * vNormal.w;
      float ndc = (-uProjection[2][2] * z + uProjection[3][2]) / z;
      gl_FragDepth = clamp(0.5 + 0.5 * ndc, 0.0, 1.0);
      oColor = vec4(vColor, 1.0);
    }`;

  // Squares of about the same area, while the view moves.
  const QUICK_VERTEX = vertex(
    "flat out vec3 vColor;",
    "vColor = lit(n, aColor.rgb); gl_PointSize = max(1.0, 0.8 * gl_PointSize);",
  );
  const QUICK = `#version 300 es
    precision highp float;
    flat in vec3 vColor;
    layout(location = 0) out vec4 oColor;
    void main() {
      oColor = vec4(vColor, 1.0);
    }`;

  const PICK_VERTEX = vertex("flat out int vRow;", "vRow = gl_VertexID;");
  const PICK = `#version 300 es
    precision highp float;
    precision highp int;
    flat in int vRow;
    layout(location = 0) out vec4 oColor;
    void main() {
      vec2 c = vec2(gl_PointCoord.x, 1.0 - gl_PointCoord.y) * 2.0 - 1.0;
      if (dot(c, c) > 1.0) discard;
      int id = vRow + 1;
      oColor = vec4(float(id & 255), float((id >> 8) & 255), float((id >> 16) & 255), float((id >> 24) & 255)) / 255.0;
    }`;

  const FULL = `#version 300 es
    out vec2 vAt;
    void main() {
      vAt = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
      gl_Position = vec4(vAt * 2.0 - 1.0, 0.0, 1.0);
    }`;

  const OUTLINE = `#version 300 es
    precision highp float;
    in vec2 vAt;
    uniform sampler2D uColor;
    uniform sampler2D uDepth;
    uniform vec2 uStep;
    uniform vec2 uRange;    // near, far
    uniform float uStrength;
    uniform int uPairs;     // of neighbors that are compared
    uniform vec3 uTop;
    uniform vec3 uBottom;
    uniform vec4 uBox;      // of the view within the picture
    layout(location = 0) out vec4 oColor;
    float away(vec2 at) {
      float d = texture(uDepth, clamp(at, uBox.xy, uBox.zw)).r;
      return uRange.x * uRange.y / (uRange.y - d * (uRange.y - uRange.x));
    }
    void main() {
      float d = texture(uDepth, vAt).r;
      float z = away(vAt);
      if (d >= 1.0) {
        oColor = vec4(mix(uBottom, uTop, vAt.y), 1.0);
        return;
      }
      float sum = 0.0;
      for (int k = 0; k < uPairs; k++) {
        vec2 s = (k == 0 ? vec2(1, 0) : k == 1 ? vec2(0, 1) : k == 2 ? vec2(0.7, 0.7) : vec2(0.7, -0.7)) * uStep;
        sum += max(0.0, log(z / away(vAt + s))) + max(0.0, log(z / away(vAt - s)));
      }
      oColor = vec4(texture(uColor, vAt).rgb * max(exp(-uStrength * sum), 0.2), 1.0);
    }`;

  class Drawer {
    constructor(canvas) {
      const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: false });
      if (!gl) throw new Error("This browser has no WebGL 2, which the view needs.");
      this.canvas = canvas;
      this.gl = gl;
      this.fine = this.program(FINE_VERTEX, FINE);
      this.quick = this.program(QUICK_VERTEX, QUICK);
      this.pick = this.program(PICK_VERTEX, PICK);
      this.outline = this.program(FULL, OUTLINE);
      this.none = gl.createVertexArray();
      this.clouds = new Map();
      this.target = null;
    }

    program(vertexText, fragmentText) {
      const gl = this.gl;
      const p = gl.createProgram();
      for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
        const s = gl.createShader(kind);
        gl.shaderSource(s, text);
        gl.compileShader(s);
        if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
        gl.attachShader(p, s);
      }
      gl.linkProgram(p);
      if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
      const at = {};
      const count = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS);
      for (let i = 0; i < count; i++) {
        const { name } = gl.getActiveUniform(p, i);
        at[name] = gl.getUniformLocation(p, name);
      }
      return { p, at };
    }

    // Puts a layer on the graphics card, in the order of `rows`.
    add(layer, rows) {
      const gl = this.gl;
      const n = layer.n;
      // Twelve bytes a point: position, normal, size.
      const bytes = new ArrayBuffer(12 * n);
      const words = new Uint16Array(bytes);
      const signed = new Int8Array(bytes);
      const plain = new Uint8Array(bytes);
      for (let i = 0; i < n; i++) {
        const r = 3 * rows[i];
        words[6 * i] = layer.position[r];
        words[6 * i + 1] = layer.position[r + 1];
        words[6 * i + 2] = layer.position[r + 2];
        signed[12 * i + 6] = layer.normal[r];
        signed[12 * i + 7] = layer.normal[r + 1];
        signed[12 * i + 8] = layer.normal[r + 2];
        plain[12 * i + 9] = layer.size[rows[i]];
      }
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      const fixed = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, fixed);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 12, 0);
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 3, gl.BYTE, true, 12, 6);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 1, gl.UNSIGNED_BYTE, false, 12, 9);
      const color = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, color);
      gl.enableVertexAttribArray(3);
      gl.vertexAttribPointer(3, 4, gl.UNSIGNED_BYTE, true, 4, 0);
      gl.bindVertexArray(null);
      this.clouds.set(layer, { array, fixed, color, n, rows });
    }

    // Takes all layers off the graphics card.
    clear() {
      const gl = this.gl;
      for (const { array, fixed, color } of this.clouds.values()) {
        gl.deleteVertexArray(array);
        gl.deleteBuffer(fixed);
        gl.deleteBuffer(color);
      }
      this.clouds.clear();
    }

    // Gives a layer its colors: four bytes a row.
    paint(layer, colors) {
      const gl = this.gl;
      const { color, rows, n } = this.clouds.get(layer);
      const from = new Uint32Array(colors.buffer, colors.byteOffset, n);
      const sorted = new Uint32Array(n);
      for (let i = 0; i < n; i++) sorted[i] = from[rows[i]];
      gl.bindBuffer(gl.ARRAY_BUFFER, color);
      gl.bufferData(gl.ARRAY_BUFFER, sorted, gl.STATIC_DRAW);
    }

    // Where points are drawn before outlines: color and depth of the picture's size.
    room(width, height) {
      const gl = this.gl;
      const t = this.target;
      if (t && t.width === width && t.height === height) return t;
      if (t) {
        gl.deleteTexture(t.color);
        gl.deleteTexture(t.depth);
        gl.deleteFramebuffer(t.frame);
      }
      const texture = (format, inner, type) => {
        const x = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, x);
        gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type, null);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
        return x;
      };
      const color = texture(gl.RGBA, gl.RGBA8, gl.UNSIGNED_BYTE);
      const depth = texture(gl.DEPTH_COMPONENT, gl.DEPTH_COMPONENT24, gl.UNSIGNED_INT);
      const frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
      this.target = { width, height, color, depth, frame };
      return this.target;
    }

    // Draws the points of one view. A view: layer, camera matrices, viewport and scissor in pixels.
    points(program, scene, view, share) {
      const gl = this.gl;
      const cloud = this.clouds.get(view.layer);
      const { at, p } = program;
      gl.useProgram(p);
      gl.viewport(...view.port);
      gl.scissor(...view.clip);
      gl.uniformMatrix4fv(at.uView, false, view.matrices.view);
      gl.uniformMatrix4fv(at.uProjection, false, view.matrices.projection);
      gl.uniform3fv(at.uSide, scene.side);
      const count = Math.max(1, Math.min(cloud.n, Math.ceil(cloud.n * share)));
      // Fewer points are larger, to close the surface still.
      const grow = Math.sqrt(cloud.n / count);
      const size = scene.size * Math.min(grow, 3);
      gl.uniform4f(at.uSizes, view.layer.spacing / scene.diagonal, scene.steps[0], scene.steps[1], size);
      gl.uniform1f(at.uPixels, 0.5 * view.matrices.focal * view.port[3]);
      gl.uniform4fv(at.uPlane, scene.plane);
      gl.uniform1f(at.uSlab, scene.slab);
      gl.uniform1f(at.uFlat, scene.dome ? 1 : 0);
      gl.bindVertexArray(cloud.array);
      gl.drawArrays(gl.POINTS, 0, count);
      gl.bindVertexArray(null);
    }

    draw(scene, views, { fine, share }) {
      const gl = this.gl;
      const { width, height } = this.canvas;
      const t = this.room(width, height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, t.frame);
      gl.disable(gl.SCISSOR_TEST);
      gl.clearColor(0, 0, 0, 1);
      gl.clearDepth(1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.enable(gl.SCISSOR_TEST);
      for (const view of views) {
        this.points(fine ? this.fine : this.quick, scene, view, share);
      }
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.disable(gl.DEPTH_TEST);
      const { p, at } = this.outline;
      gl.useProgram(p);
      gl.viewport(0, 0, width, height);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, t.color);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, t.depth);
      gl.uniform1i(at.uColor, 0);
      gl.uniform1i(at.uDepth, 1);
      // Eye-dome lighting looks farther around, so that shapes show without light.
      const reach = (scene.dome ? 2.6 : 1.4) * scene.ratio;
      gl.uniform2f(at.uStep, reach / width, reach / height);
      gl.uniform1i(at.uPairs, fine ? 4 : 2);
      gl.uniform1f(at.uStrength, (scene.dome ? 2.5 : 1) * (fine ? 2.4 : 4.8));
      gl.uniform3fv(at.uTop, scene.top);
      gl.uniform3fv(at.uBottom, scene.bottom);
      gl.bindVertexArray(this.none);
      for (const view of views) {
        const [x, y, w, h] = view.clip;
        gl.scissor(x, y, w, h);
        gl.uniform2f(at.uRange, view.matrices.near, view.matrices.far);
        gl.uniform4f(at.uBox, x / width, y / height, (x + w) / width, (y + h) / height);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
      }
      gl.disable(gl.SCISSOR_TEST);
    }

    // The row drawn nearest to a pixel, or null; looks a few pixels around.
    rowAt(scene, view, x, y, reach) {
      const gl = this.gl;
      const { width, height } = this.canvas;
      const t = this.room(width, height);
      const side = 2 * reach + 1;
      const [cx, cy, cw, ch] = view.clip;
      const left = Math.max(cx, x - reach);
      const low = Math.max(cy, y - reach);
      const w = Math.min(cx + cw, x + reach + 1) - left;
      const h = Math.min(cy + ch, y + reach + 1) - low;
      if (w <= 0 || h <= 0) return null;
      gl.bindFramebuffer(gl.FRAMEBUFFER, t.frame);
      gl.enable(gl.SCISSOR_TEST);
      gl.enable(gl.DEPTH_TEST);
      gl.scissor(left, low, w, h);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      this.points(this.pick, scene, { ...view, clip: [left, low, w, h] }, 1);
      const bytes = new Uint8Array(4 * side * side);
      gl.readPixels(left, low, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.disable(gl.SCISSOR_TEST);
      gl.disable(gl.DEPTH_TEST);
      let best = null;
      let least = Infinity;
      for (let j = 0; j < h; j++) {
        for (let i = 0; i < w; i++) {
          const k = 4 * (j * w + i);
          const id = (bytes[k] | (bytes[k + 1] << 8) | (bytes[k + 2] << 16) | (bytes[k + 3] << 24)) >>> 0;
          const away = (left + i - x) ** 2 + (low + j - y) ** 2;
          if (id && away < least) {
            least = away;
            best = id - 1;
          }
        }
      }
      return best === null ? null : this.clouds.get(view.layer).rows[best];
    }
  }

  Object.assign(Pellucid, { Drawer });
})();
