// Shows notifications while the web UI is closed. It caches nothing: pages and the API are always loaded from the server.

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

const windows = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())));

async function show({ title, body, tag, path }) {
  const open = await windows();
  // The user is looking at the page.
  if (open.some(({ focused, url }) => focused && new URL(url).pathname === path)) return;
  await self.registration.showNotification(title, {
    body,
    // A newer notification of the chat replaces the one before.
    tag,
    renotify: true,
    icon: '/icon-192.png',
    data: { path },
  });
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.path));
});

async function openPage(path) {
  const open = await windows();
  const there = open.find(({ url }) => new URL(url).pathname === path) ?? open[0];
  if (there === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  // The page navigates itself, so that nothing in it is lost.
  there.postMessage({ type: 'open', path });
  await there.focus();
}

// The browser has replaced the subscription.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));

async function subscribeAgain({ newSubscription, oldSubscription }) {
  const options = oldSubscription?.options;
  const next =
    newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)));
  if (!next) return;
  await fetch('/api/v1/users/me/push-subscriptions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(next),
  });
}
