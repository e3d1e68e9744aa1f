"use strict";
// Runs the library away from the page, so that the page stays quick and can end it at once.
let wasm;

// Libraries that know browsers by generated glue import it; nothing here ever calls it.
function imports(module) {
  const all = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") continue;
    all[from] ??= {};
    all[from][name] = () => {
      throw new Error(`${from}.${name} is not here`);
    };
  }
  all.page ??= {};
  all.page.progress = (share, at, length) => {
    const step = new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, at, length));
    postMessage({ kind: "progress", share, step });
  };
  return all;
}

// Puts bytes in, after those of `first`.
function put(first, bytes) {
  const at = wasm.room(first.length + bytes.length);
  const memory = new Uint8Array(wasm.memory.buffer, at, first.length + bytes.length);
  memory.set(first);
  memory.set(bytes, first.length);
}

// A copy of the answer.
const answer = () => new Uint8Array(wasm.memory.buffer, wasm.answer_at(), wasm.answer_length()).slice();
const spoken = () => JSON.parse(new TextDecoder().decode(answer()));

onmessage = async ({ data }) => {
  try {
    if (data.kind === "start") {
      wasm = (await WebAssembly.instantiate(data.module, imports(data.module))).exports;
      postMessage({ kind: "started" });
    } else if (data.kind === "open") {
      const name = new TextEncoder().encode(data.name);
      put(name, new Uint8Array(data.bytes));
      wasm.open(name.length);
      postMessage({ kind: "opened", answer: spoken() });
    } else if (data.kind === "denoise") {
      put(new Uint8Array(0), new TextEncoder().encode(JSON.stringify(data.wishes)));
      wasm.denoise();
      postMessage({ kind: "denoised", answer: spoken() });
    } else if (data.kind === "save") {
      const good = wasm.save();
      const bytes = answer();
      postMessage({ kind: "saved", error: good ? null : new TextDecoder().decode(bytes), bytes });
    }
  } catch (error) {
    postMessage({ kind: "failed", message: String(error.message || error) });
  }
};
