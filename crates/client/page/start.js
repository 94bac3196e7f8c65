import init from "./client.js";

// The rules of the games: fetched when a match opens.
let rulebook;
globalThis.openRulebook = () =>
  (rulebook ??= import("./rulebook.js").then(async (module) => {
    await module.default({ module_or_path: new URL("./rulebook.wasm", import.meta.url) });
    return module;
  }));

init({ module_or_path: new URL("./client.wasm", import.meta.url) });
