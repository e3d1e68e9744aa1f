"use strict";
// Unpacks the clouds of a page. Everything else uses what this gives.
const Pellucid = {};

(() => {
  const NONE = 65535;

  function fromBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
  }

  // Bytes from squeezed text.
  async function unpack(text, how = "deflate-raw") {
    const squeezed = new Blob([fromBase64(text)]).stream();
    const plain = squeezed.pipeThrough(new DecompressionStream(how));
    return new Uint8Array(await new Response(plain).arrayBuffer());
  }

  // Low and high bytes of differences, component by component, to rows of numbers.
  function sums(bytes, width, base) {
    const n = bytes.length / (2 * width);
    const out = new Uint16Array(n * width);
    for (let c = 0; c < width; c++) {
      const low = 2 * c * n;
      const high = low + n;
      let last = 0;
      for (let i = 0, k = c; i < n; i++, k += width) {
        const step = bytes[low + i] | (bytes[high + i] << 8);
        last = base ? base[k] + step : last + step;
        out[k] = last;
      }
    }
    return out;
  }

  function rows(planes, width) {
    const n = planes.length / width;
    const out = new Uint8Array(planes.length);
    for (let c = 0; c < width; c++) {
      for (let i = 0, k = c; i < n; i++, k += width) out[k] = planes[c * n + i];
    }
    return out;
  }

  // Directions on the unfolded octahedron to vectors of signed bytes.
  function normals(planes) {
    const n = planes.length / 2;
    const out = new Int8Array(3 * n);
    for (let i = 0; i < n; i++) {
      let x = planes[i] / 127.5 - 1;
      let y = planes[n + i] / 127.5 - 1;
      const z = 1 - Math.abs(x) - Math.abs(y);
      if (z < 0) {
        const old = x;
        x = (1 - Math.abs(y)) * (old < 0 ? -1 : 1);
        y = (1 - Math.abs(old)) * (y < 0 ? -1 : 1);
      }
      const length = Math.hypot(x, y, z) || 1;
      out[3 * i] = Math.round((127 * x) / length);
      out[3 * i + 1] = Math.round((127 * y) / length);
      out[3 * i + 2] = Math.round((127 * z) / length);
    }
    return out;
  }

  // A row order in which every beginning is an even sample: steps of nearly the golden section.
  function order(n) {
    const gcd = (a, b) => (b ? gcd(b, a % b) : a);
    let step = Math.max(1, Math.round(n * 0.6180339887498949));
    while (gcd(step, n) !== 1) step++;
    const out = new Uint32Array(n);
    for (let i = 0, r = 0; i < n; i++, r = (r + step) % n) out[i] = r;
    return out;
  }

  // The clouds of one group. `text(id)` gives the text of a block.
  async function group(meta, text) {
    const layers = [];
    for (const m of meta.layers) {
      const base = m.from === null ? null : layers[m.from];
      const get = async (id) => unpack(text(id));
      const layer = {
        name: m.name,
        points: m.points,
        n: m.shown,
        hidden: m.hidden,
        from: m.from,
        spacing: m.spacing,
        position: sums(await get(m.position), 3, base && base.position),
        normal: normals(await get(m.normal)),
        size: await get(m.size),
        color: m.color ? rows(await get(m.color), 3) : base && base.color,
        scalars: [],
      };
      layers.push(layer);
      for (const s of m.scalars) {
        const codes = sums(await get(s.data), 1, null);
        layer.scalars.push({ ...s, codes });
      }
    }
    // A moved layer has the attributes of the one that it came from.
    for (const layer of layers) {
      if (layer.from === null) continue;
      const own = new Set(layer.scalars.map((s) => s.name));
      layer.scalars.push(...layers[layer.from].scalars.filter((s) => !own.has(s.name)));
    }
    const side = meta.step.map((s) => s * 65535);
    const diagonal = Math.hypot(...side) || 1;
    return { meta, layers, side, diagonal, order: new Map() };
  }

  const valueOf = (scalar, row) => {
    const code = scalar.codes[row];
    return code === NONE ? NaN : scalar.lo + code * scalar.step;
  };

  // Where a row is, in the file's coordinates.
  const place = (group, layer, row) =>
    [0, 1, 2].map((c) => group.meta.origin[c] + layer.position[3 * row + c] * group.meta.step[c]);

  // How far each row moved along the normal where it came to, or null without a partner.
  function displacements(group, layer) {
    const to = layer.from === null ? group.layers.find((l) => group.layers[l.from] === layer) : layer;
    if (!to) return null;
    const from = group.layers[to.from];
    if (from.n !== to.n) return null;
    const [sx, sy, sz] = group.meta.step;
    const out = new Float32Array(to.n);
    const a = from.position;
    const b = to.position;
    const n = to.normal;
    for (let i = 0, k = 0; i < out.length; i++, k += 3) {
      const x = (b[k] - a[k]) * sx;
      const y = (b[k + 1] - a[k + 1]) * sy;
      const z = (b[k + 2] - a[k + 2]) * sz;
      out[i] = (x * n[k] + y * n[k + 1] + z * n[k + 2]) / 127;
      if (!from.size[i] || !to.size[i]) out[i] = NaN;
    }
    return out;
  }

  // How far each row moved beside its normal, or null without a partner.
  function tangential(group, layer) {
    const along = displacements(group, layer);
    if (!along) return null;
    return along.map((d, row) => Math.sqrt(Math.max(0, displacement(group, layer, row) ** 2 - d * d)));
  }

  // The displacement of one row, or null.
  function displacement(group, layer, row) {
    const to = layer.from === null ? group.layers.find((l) => group.layers[l.from] === layer) : layer;
    if (!to) return null;
    const [a, b] = [place(group, group.layers[to.from], row), place(group, to, row)];
    return Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  }

  // Four digits that count, or all that stand before the point.
  function number(v) {
    if (v === null || v === undefined || Number.isNaN(v)) return "–";
    if (v === 0) return "0";
    const size = Math.abs(v);
    if (size >= 1e15 || size < 1e-4) return v.toExponential(2);
    return size >= 1e4 ? Math.round(v).toLocaleString("en") : String(Number(v.toPrecision(4)));
  }

  // Three digits that count, for labels of charts and for shares.
  const short = (v) => (Math.abs(v) >= 1e4 || (v !== 0 && Math.abs(v) < 1e-4) ? number(v) : Number.isFinite(v) ? String(Number(v.toPrecision(3))) : "–");

  // Times that a run took.
  const seconds = (v) => `${v < 0.0095 ? "less than 0.01" : Number(v.toPrecision(v < 0.1 ? 1 : v < 100 ? 2 : 3))} s`;

  // Seconds since GPS began, 6 January 1980, in LAS less a thousand million; a week has fewer.
  const GPS_START = Date.UTC(1980, 0, 6);
  const WEEK = 604800;

  // Whether a number of that name is a time of GPS that tells a day.
  const isDate = (name, v) => /^(gps_?)?time$/i.test(name) && v > WEEK && v < 1e9;

  // A time of GPS as people write it, to the second.
  const date = (v) => new Date(GPS_START + 1000 * (v + 1e9)).toISOString().slice(0, 19).replace("T", " ");

  Object.assign(Pellucid, { unpack, group, order, valueOf, place, displacements, displacement, tangential, number, short, seconds, isDate, date });
})();
