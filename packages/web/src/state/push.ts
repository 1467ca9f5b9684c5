import type { Notifications } from '@chatd/protocol';
import { client } from '../api/client.ts';

/** Where the service worker that shows notifications is. */
const WORKER = '/service-worker.js';

/** `unsupported`: the browser has no notifications on this page. `denied`: its settings block them. */
export type PushState = 'unsupported' | 'denied' | 'off' | 'on';

const isSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;

async function ownSubscription(): Promise<PushSubscription | null> {
  if (!isSupported()) return null;
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

export async function readPushState(): Promise<PushState> {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return (await ownSubscription()) === null ? 'off' : 'on';
}

/** Asks the user for permission. Throws if they refuse, or if the push service cannot be reached. */
export async function allowNotifications({ public_key }: Notifications): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('The browser does not allow notifications of this page.');
  }
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  // A subscription with another key, such as that of a deployment that was here before, is of no use.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: public_key,
  });
  await client.call('createPushSubscription', { body: subscribed(subscription) });
}

export async function stopNotifications(): Promise<void> {
  const subscription = await ownSubscription();
  if (subscription === null) return;
  // First: without an answer of the server, the browser shows nothing more, either.
  await subscription.unsubscribe();
  // The request finds the subscription by its address.
  const { id } = await client.call('createPushSubscription', { body: subscribed(subscription) });
  await client.call('deletePushSubscription', { params: { push_subscription_id: id } });
}

function subscribed(subscription: PushSubscription) {
  const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {};
  return { endpoint: subscription.endpoint, keys: { p256dh, auth } };
}

/** Calls back with the path of a page when the user selects its notification. */
export function onNotificationSelected(open: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const listen = ({ data }: MessageEvent<{ readonly type?: string; readonly path?: string }>) => {
    if (data.type === 'open' && data.path?.startsWith('/') === true) open(data.path);
  };
  navigator.serviceWorker.addEventListener('message', listen);
  navigator.serviceWorker.startMessages();
  return () => navigator.serviceWorker.removeEventListener('message', listen);
}
