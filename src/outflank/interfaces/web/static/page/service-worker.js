// Keeps all files of a page that `outflank page` wrote, so that it works offline. FILES and VERSION come before.

const PREFIX = `outflank-page ${self.registration.scope} `;
const CACHE = PREFIX + VERSION;

self.addEventListener("install", (event) => {
  const kept = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
    await self.skipWaiting();
  };
  event.waitUntil(kept());
});

self.addEventListener("activate", (event) => {
  const renewed = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(renewed());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  const found = async () => (await caches.match(event.request, { cacheName: CACHE, ignoreSearch: true })) ?? fetch(event.request);
  event.respondWith(found());
});
