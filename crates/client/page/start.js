import init from "./client.js";

// What was chosen holds while the rest is still loading; where nothing may be kept, the system decides.
try {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "system";
} catch {}

// The rules of the games: fetched when a match opens.
let rulebook;
globalThis.openRulebook = () =>
  (rulebook ??= import("./rulebook.js").then(async (module) => {
    await module.default({ module_or_path: new URL("./rulebook.wasm", import.meta.url) });
    return module;
  }));

init({ module_or_path: new URL("./client.wasm", import.meta.url) });

// After all else, so that it slows nothing; without it Parlor just needs the network.
addEventListener("load", () => navigator.serviceWorker?.register("/worker.js").catch(() => {}));
