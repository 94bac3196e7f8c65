// The rules on a thread of their own, for questions that take a while: what a bot would do.
import init, { ask, give_words } from "./rulebook.js";

const opened = init({ module_or_path: new URL("./rulebook.wasm", import.meta.url) });
onmessage = async ({ data }) => {
  try {
    await opened;
    postMessage(typeof data === "string" ? ask(data) : give_words(data));
  } catch (error) {
    // A rejected promise would stay in here; an error reaches the page.
    setTimeout(() => { throw error; });
  }
};
