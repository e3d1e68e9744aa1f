"use strict";
// Drop a file in, inspect it, denoise it in a worker, inspect the result, download.
(() => {
  const byId = (id) => document.getElementById(id);

  class Trial {
    constructor(module, workerText, maps) {
      this.module = module;
      this.workerAddress = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
      this.maps = maps;
      this.state = "empty";
      byId("choose").addEventListener("click", () => byId("file").click());
      byId("another").addEventListener("click", () => byId("file").click());
      byId("file").addEventListener("change", (e) => e.target.files[0] && this.take(e.target.files[0]));
      byId("strength").addEventListener("input", (e) => { byId("strength-value").textContent = e.target.value; });
      byId("go").addEventListener("click", () => this.denoise());
      byId("cancel").addEventListener("click", () => this.cancel());
      byId("download").addEventListener("click", () => this.download());
      addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("over"); });
      addEventListener("dragleave", () => document.body.classList.remove("over"));
      addEventListener("drop", (e) => {
        e.preventDefault();
        document.body.classList.remove("over");
        if (e.dataTransfer.files[0]) this.take(e.dataTransfer.files[0]);
      });
      this.start();
    }

    // A worker that has the library; asks are answered in order.
    start() {
      this.worker = new Worker(this.workerAddress);
      this.waiting = [];
      this.worker.onmessage = ({ data }) => {
        if (data.kind === "progress") return this.progress(data);
        const next = this.waiting.shift();
        if (data.kind === "failed") next?.fail(new Error(data.message));
        else next?.done(data);
      };
      this.worker.onerror = (e) => this.waiting.shift()?.fail(new Error(e.message));
      this.ask({ kind: "start", module: this.module });
    }

    ask(message) {
      return new Promise((done, fail) => {
        this.waiting.push({ done, fail });
        this.worker.postMessage(message);
      });
    }

    say(text) { byId("step").textContent = text; }

    fail(message) {
      byId("drop").hidden = false;
      byId("trouble").hidden = false;
      byId("trouble").textContent = message;
      this.state = "failed";
    }

    async take(file) {
      if (this.state === "running") this.cancel();
      this.file = { name: file.name, bytes: await file.arrayBuffer() };
      this.say("Reading…");
      try {
        const { answer } = await this.ask({ kind: "open", ...this.file });
        if (answer.error) return this.fail(answer.error);
        byId("drop").hidden = true;
        byId("trouble").hidden = true;
        byId("work").hidden = false;
        byId("download").hidden = true;
        await this.show(answer);
        this.say("");
        this.state = "open";
      } catch (error) {
        this.fail(error.message);
      }
    }

    // Shows a group in the view.
    async show(answer) {
      const meta = { title: this.file.name, head: null, live: null, maps: this.maps, groups: [answer.meta] };
      const text = (_, id) => answer.blocks[id];
      if (this.app) this.app.replace(meta, text);
      else {
        this.app = new Pellucid.App(meta, text);
        Pellucid.app = this.app;
      }
      await this.app.open(0);
    }

    running(on) {
      for (const [id, hidden] of [["go", on], ["another", on], ["cancel", !on], ["bar", !on]]) byId(id).hidden = hidden;
      byId("bar").value = 0;
    }

    progress({ share, step }) {
      byId("bar").value = share;
      this.say(step);
      this.heard = (this.heard || 0) + 1;
    }

    async denoise() {
      this.state = "running";
      this.running(true);
      byId("download").hidden = true;
      this.say("Starting…");
      const start = performance.now();
      const strength = Number(byId("strength").value);
      const wishes = strength === 1 ? {} : { parameters: { strength } };
      try {
        const { answer } = await this.ask({ kind: "denoise", wishes });
        if (answer.error) throw new Error(answer.error);
        await this.show(answer);
        const { report, iterations } = answer.facts;
        const noise = report.noise === null ? "" : `, noise ${Pellucid.number(report.noise)}`;
        this.say(`${((performance.now() - start) / 1000).toFixed(1)} s, ${iterations} iterations${noise}`);
        byId("download").hidden = false;
        this.state = "done";
      } catch (error) {
        this.say(error.message);
        this.state = "open";
      }
      this.running(false);
    }

    // Ends the worker, whatever it does, and gives the file to a new one.
    cancel() {
      this.worker.terminate();
      this.start();
      this.running(false);
      this.say("Cancelled");
      this.state = "open";
      this.ask({ kind: "open", ...this.file });
    }

    async result() {
      const { error, bytes } = await this.ask({ kind: "save" });
      if (error) throw new Error(error);
      return bytes;
    }

    async download() {
      const bytes = await this.result();
      const name = this.file.name.replace(/(\.[^.]*)?$/, (end) => `-denoised${end}`);
      const href = URL.createObjectURL(new Blob([bytes]));
      Pellucid.element("a", null, { download: name, href }).click();
      setTimeout(() => URL.revokeObjectURL(href), 10000);
    }
  }

  (async () => {
    const text = byId("wasm").textContent;
    byId("wasm").remove();
    const module = await WebAssembly.compile(await Pellucid.unpack(text, "gzip"));
    const maps = JSON.parse(byId("maps").textContent);
    Pellucid.trial = new Trial(module, byId("worker").textContent, maps);
    byId("status").hidden = true;
    document.documentElement.dataset.loaded = "true";
  })().catch((error) => {
    byId("drop").hidden = false;
    byId("trouble").hidden = false;
    byId("trouble").textContent = `This browser cannot run it: ${error.message}`;
  });
})();
