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

// A bot thinks on a thread of its own, and answers in the order in which it was asked. A text is a question;
// bytes are a list of words.
let thinker;
let asked = [];
const give_up = (error) => {
  for (const { reject } of asked) reject(error);
  asked = [];
  thinker?.terminate();
  thinker = undefined;
};
globalThis.askThinker = (message) =>
  new Promise((resolve, reject) => {
    if (!thinker) {
      thinker = new Worker(new URL("./thinker.js", import.meta.url), { type: "module" });
      thinker.onmessage = ({ data }) => asked.shift().resolve(data);
      thinker.onerror = give_up;
    }
    asked.push({ resolve, reject });
    thinker.postMessage(message);
  });

init({ module_or_path: new URL("./client.wasm", import.meta.url) });

// After all else, so that it slows nothing; without it Parlor just needs the network.
addEventListener("load", () => navigator.serviceWorker?.register("/worker.js").catch(() => {}));
