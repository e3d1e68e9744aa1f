"use strict";
// Opens the page's own clouds, and asks its server, if it has one, whether they have changed.
(async () => {
  const meta = JSON.parse(document.getElementById("meta").textContent);
  const text = (group, id) => {
    const node = document.getElementById(`g${group}-${id}`);
    const content = node.textContent;
    // Each block is read once; its text would only take room.
    node.remove();
    return content;
  };
  try {
    const app = new Pellucid.App(meta, text);
    Pellucid.app = app;
    // Of several files one that was changed is of more interest.
    const moved = meta.groups.findIndex((g) => g.run && g.run.displacement.moved > 0);
    await app.open(Math.max(0, moved));
  } catch (error) {
    const status = document.getElementById("status");
    status.hidden = false;
    status.textContent = `The clouds cannot be shown: ${error.message}`;
    throw error;
  }
  if (meta.live) {
    const [where, known] = meta.live;
    const ask = async () => {
      try {
        const answer = await fetch(where, { cache: "no-store" });
        if (answer.ok && (await answer.text()) !== known) location.reload();
      } catch {
        // The server has ended; the page goes on without.
      }
    };
    setInterval(ask, 1000);
  }
})();
