import init from "./client.js";

init({ module_or_path: new URL("./client.wasm", import.meta.url) });
