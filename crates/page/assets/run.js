"use strict";
// The panel beside the view: what a run did and learned. Whatever comes from a file is put in as
// text, never as markup.
(() => {
  const { number, short, seconds, element, lines, bins } = Pellucid;

  const STOPS = {
    converged: "it had converged",
    "objective-rose": "the objective no longer fell",
    "noise-removed": "the residual noise is what the noise estimate predicts",
    "iteration-limit": "the limit of iterations was reached",
    observer: "it was asked to stop",
    "nothing-to-do": "there was nothing to do",
  };

  function section(panel, title) {
    const s = element("section");
    s.append(element("h2", title));
    panel.append(s);
    return s;
  }

  function pairs(into, rows) {
    const dl = element("dl");
    for (const [name, value] of rows) {
      if (value === null || value === undefined || value === "") continue;
      dl.append(element("dt", name), element("dd", value));
    }
    into.append(dl);
  }

  // A number with its size in spacings.
  const length = (v, spacing) =>
    spacing > 0 ? `${number(v)} (${short(v / spacing)} spacings)` : number(v);

  function summary(panel, run) {
    const s = section(panel, "Summary");
    const { report, displacement } = run;
    const big = element("div", null, { class: "numbers" });
    const fact = (value, name) => {
      const d = element("div");
      d.append(element("b", value), element("span", name));
      big.append(d);
    };
    fact(run.points.toLocaleString("en"), "points");
    fact(report.noise === null ? "–" : short(report.noise / (report.spacing || 1)), "noise, in spacings");
    fact(short(displacement.mean / (report.spacing || 1)), "mean displacement, in spacings");
    s.append(big);
    const given = run.parameters && run.parameters.noise;
    pairs(s, [
      ["Method", run.preset ? `${run.method}, preset ${run.preset}` : run.method],
      [given ? "Given noise" : "Estimated noise", report.noise === null ? null : length(report.noise, report.spacing)],
      ["Spacing", number(report.spacing)],
      ["Points that moved", `${run.displacement.moved.toLocaleString("en")} of ${run.points.toLocaleString("en")}`],
      ["Displacement, median", length(displacement.median, report.spacing)],
      ["95th percentile", length(displacement.p95, report.spacing)],
      ["Largest", length(displacement.max, report.spacing)],
      ["Iterations", run.iterations],
      ["Stopped because", STOPS[run.stop] || run.stop],
      ["Selection", run.part ? `${run.part.points.toLocaleString("en")} points: ${run.part.conditions.join(", ")}` : null],
      ["Time", run.seconds === null ? null : seconds(run.seconds)],
    ]);
    if (report.notes.length) {
      const list = element("ul");
      for (const note of report.notes) list.append(element("li", note));
      s.append(list);
    }
  }

  function heat(panel, report, words, maps) {
    if (!report.metric) return;
    const s = section(panel, "Learned metric M");
    const names = report.features;
    const most = Math.max(...report.metric.flat().map(Math.abs)) || 1;
    const table = element("table", null, { class: "heat" });
    const head = element("tr");
    head.append(element("th"));
    for (const name of names) {
      const th = element("th", null, { title: name, scope: "col" });
      th.append(element("span", name));
      head.append(th);
    };
    table.append(element("thead"));
    table.tHead.append(head);
    const body = element("tbody");
    report.metric.forEach((row, i) => {
      const tr = element("tr");
      tr.append(element("th", names[i], { title: names[i], scope: "row" }));
      row.forEach((v, j) => {
        const rgb = Pellucid.colorAt(maps.signed, 0.5 + (0.5 * v) / most);
        const td = element("td", Math.abs(v) < 0.005 * most ? "0" : Number(v.toPrecision(2)).toString());
        td.title = `${names[i]} with ${names[j]}: ${v}`;
        td.style.background = `rgb(${rgb.join(" ")})`;
        td.style.color = 0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2] > 140 ? "#111" : "#fff";
        tr.append(td);
      });
      body.append(tr);
    });
    table.append(body);
    s.append(table);
    for (const line of words || []) s.append(element("p", line));
  }

  function history(panel, report) {
    const h = report.history;
    if (!h.length) return;
    const s = section(panel, "Iterations one by one");
    const column = (name) => h.map((i) => i[name]);
    lines(s, "Mean and largest movement of a point", [
      { name: "mean", values: column("mean_displacement") },
      { name: "largest", values: column("max_displacement") },
    ]);
    lines(s, "Learning objective", [
      { name: "before", values: column("objective_before") },
      { name: "after", values: column("objective_after") },
    ]);
    lines(s, "Denoising objective (Eq. 50)", [
      { name: "before", values: column("energy_before") },
      { name: "after", values: column("energy_after") },
    ]);
    lines(s, "Estimated residual noise", [{ name: "noise", values: column("noise_left") }]);
  }

  // How far points moved: along the normal, and beside it. Those that did not move would hide the others.
  function movement(panel, group, layer) {
    const all = Pellucid.displacements(group, layer);
    if (!all) return;
    const sideways = Pellucid.tangential(group, layer);
    const moved = [...all.keys()].filter((i) => all[i] !== 0 || sideways[i] !== 0);
    if (!moved.length) return;
    const [along, beside] = [all, sideways].map((v) => moved.map((i) => v[i]));
    const s = section(panel, "How far points moved");
    const pair = element("div", null, { class: "pair" });
    const [a, b] = [element("div"), element("div")];
    bins(a, "Along the normal", along, { signed: true });
    bins(b, "Along the surface", beside, {});
    pair.append(a, b);
    s.append(pair);
    // A page has steps of positions, and some of a large cloud only; the run knows better.
    const { run } = group.meta;
    const still = run ? run.points - run.displacement.moved : all.length - moved.length;
    if (still) s.append(element("p", `Without the ${still.toLocaleString("en")} points that did not move.`, { class: "note" }));
    s.append(element("p", "Along the normal: out of the surface to the right, into it to the left.", { class: "note" }));
    const unit = group.meta.unit || "file units";
    if (group.meta.spacing > 0) s.append(element("p", `In ${unit}; one spacing is ${number(group.meta.spacing)}.`, { class: "note" }));
  }

  // How often the numbers occur that points are colored by; replaces the last one.
  function valuesChart(panel, title, values, options) {
    for (const old of panel.querySelectorAll("section.values")) old.remove();
    if (!values) return;
    const s = element("section", null, { class: "values" });
    s.append(element("h2", title));
    bins(s, `Points by ${title}`, values, { ...options, wide: true });
    const first = panel.querySelector("section");
    panel.insertBefore(s, first ? first.nextSibling : null);
  }

  function times(panel, steps) {
    const rows = Object.entries(steps).sort((a, b) => b[1] - a[1]);
    if (!rows.length) return;
    const s = section(panel, "Time of each step");
    const bars = element("div", null, { class: "bars" });
    for (const [name, t] of rows) {
      const bar = element("i");
      bar.style.width = `${(100 * t) / rows[0][1]}%`;
      bars.append(element("span", name), bar, element("em", seconds(t)));
    }
    s.append(bars);
  }

  function fates(panel, run) {
    if (!run.attributes.length) return;
    const s = section(panel, "Attribute changes");
    const table = element("table", null, { class: "plain" });
    for (const a of run.attributes) {
      const tr = element("tr");
      tr.append(element("th", a.attribute, { scope: "row" }), element("td", a.why ? `${a.became}: ${a.why}` : a.became));
      table.append(tr);
    }
    s.append(table);
  }

  function again(panel, head, run) {
    const s = section(panel, "Repeat this run");
    const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
    if (head && head.command) {
      const line = element("pre");
      // Words break only where they are longer than the line.
      for (const word of head.command) line.append(element("span", quote(word)), " ");
      s.append(line);
    }
    pairs(s, [
      ["Version", head && `${head.program} ${head.version}`],
      ["System", head && head.system],
      ["Threads", run ? run.threads || "all cores" : null],
      ["Seed", run ? run.seed : null],
      ["Read", run && run.input],
      ["Wrote", run && run.output],
    ]);
    const changed = run ? Object.entries(run.parameters) : [];
    if (changed.length) {
      s.append(element("p", "Parameters that were changed:", { class: "note" }));
      pairs(s, changed.map(([k, v]) => [k, JSON.stringify(v)]));
    }
  }

  function clouds(panel, group) {
    const s = section(panel, "The clouds");
    for (const l of group.layers) {
      pairs(s, [[l.name, `${l.points.toLocaleString("en")} points`]]);
      if (l.hidden) s.append(element("p", `${l.hidden.toLocaleString("en")} are not finite or far away, and not shown.`, { class: "note" }));
    }
    const { stride, left_out } = group.meta;
    if (stride > 1) s.append(element("p", `Every ${stride}th point is in this page.`, { class: "note" }));
    if (left_out.length) s.append(element("p", `Left out to keep the page small: ${left_out.join(", ")}.`, { class: "note" }));
  }

  // Fills the panel for a group.
  function panel(into, meta, group) {
    for (const old of into.querySelectorAll("section")) old.remove();
    const { run, words } = group.meta;
    if (run) summary(into, run);
    const moved = group.layers.find((l) => l.from !== null);
    if (moved) movement(into, group, moved);
    if (run) {
      history(into, run.report);
      heat(into, run.report, words, meta.maps);
      times(into, run.report.seconds);
      fates(into, run);
    }
    clouds(into, group);
    if (meta.head || run) again(into, meta.head, run);
  }

  Object.assign(Pellucid, { panel, valuesChart });
})();
