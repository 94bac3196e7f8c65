// Keeps the client's files, so that Parlor opens without a network. `cargo xtask client` fills in the
// names. What the server says, under /api, is never kept and never touched, but for lists of words: those
// are named by content too.

const CACHE = "parlor";
const PAGE = "/";
// What every visit brings, and what is fetched when it is wanted.
const FIRST = [PAGE, ...FIRST_FILES];
const KNOWN = new Set([...FIRST, ...LATER_FILES]);
const WORDS = "/api/v1/words/";

self.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FIRST);
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    const cache = await caches.open(CACHE);
    const kept = await cache.keys();
    const paths = kept.map((request) => new URL(request.url).pathname);
    const old = kept.filter((_, index) => !KNOWN.has(paths[index]) && !paths[index].startsWith(WORDS));
    await Promise.all(old.map((request) => cache.delete(request)));
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== self.location.origin) return;
  if (pathname.startsWith(WORDS)) event.respondWith(kept(event.request));
  if (pathname.startsWith("/api")) return;
  if (mode === "navigate") {
    event.respondWith(fresh(event.request, PAGE));
  } else if (pathname.startsWith("/assets/") && KNOWN.has(pathname)) {
    event.respondWith(kept(event.request));
  } else if (KNOWN.has(pathname)) {
    event.respondWith(fresh(event.request, pathname));
  }
});

// A name with its content's hash in it is for ever the same file.
async function kept(request) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request, { ignoreVary: true });
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

// The network first; what is kept only if there is none.
async function fresh(request, name) {
  try {
    return await fetch(request);
  } catch (failure) {
    const cache = await caches.open(CACHE);
    const found = await cache.match(name, { ignoreVary: true });
    if (found) return found;
    throw failure;
  }
}
