import { createPublicKey, verify } from 'node:crypto';
import { startTestServer } from '@chatd/test-server';
import { dump, execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { expect, test } from 'vitest';
import { subscribedBrowser } from './subscribed-browser.ts';
import { type Received, startReceiver } from './receiver.ts';

const server = await startTestServer(
  { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
  { outbox: { everyMs: 50, delayMs: () => 5, blockMs: 1 } },
);
const { stranger, databaseUrl } = server;
// The push service has a private address, which only admins can use.
const owner = server.admin;

/** The claims of the VAPID token, which must be signed with the key that the browser knows. */
function claimsIn({ headers }: Received, publicKey: string): { readonly aud: string } {
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  expect(key).toBe(publicKey);
  const raw = Buffer.from(publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: raw.subarray(1, 33).toString('base64url'),
    y: raw.subarray(33).toString('base64url'),
  };
  const [head, claims = '', signature = ''] = token.split('.');
  const signed = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(signed).toBe(true);
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string };
}

const startChat = async (title: string) => {
  const { id } = await owner.ok('createChat', { body: { content: 'Hi', title } });
  await eventually(async () =>
    expect((await owner.ok('getChat', { params: { chat_id: id } })).status).toBe('waiting'),
  );
  return id;
};

test('a browser gets the notifications that its user enabled, encrypted and signed', async () => {
  const service = await startReceiver();
  const { subscription, decrypted } = subscribedBrowser(service.url);
  const { public_key, ...before } = await owner.ok('getNotifications');
  expect(before).toEqual({ needs_you: false, finished: false, failed: false, subscriptions: [] });
  const made = await owner.ok('createPushSubscription', { body: subscription });
  expect(await dump(databaseUrl)).not.toContain('/hook?from=chatd');
  await startChat('Switched off');
  expect(await execute(databaseUrl, `SELECT FROM outbox`)).toEqual([]);

  await owner.ok('updateNotifications', { body: { finished: true, failed: true } });
  expect(await owner.ok('updateNotifications', { body: { failed: false } })).toMatchObject({
    finished: true,
    failed: false,
    subscriptions: [{ id: made.id }],
  });
  service.answer = (index) => (index === 0 ? 503 : 201);
  const chat_id = await startChat('Switched on');
  await eventually(() => expect(service.requests).toHaveLength(2));
  const [, request] = service.requests;
  expect(decrypted(request!)).toEqual({
    title: 'Switched on',
    body: 'Finished',
    tag: chat_id,
    path: `/chats/${chat_id}`,
  });
  expect(claimsIn(request!, public_key).aud).toBe(new URL(service.url).origin);
  expect(request?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'normal' });
  // Delivered notifications are not kept: no endpoint lists them.
  await eventually(async () =>
    expect(await execute(databaseUrl, `SELECT FROM outbox`)).toEqual([]),
  );

  // The browser has ended the subscription.
  service.answer = () => 410;
  await startChat('Gone');
  await eventually(async () =>
    expect((await owner.ok('getNotifications')).subscriptions).toEqual([]),
  );
});

test('a browser belongs to the user who subscribed last', async () => {
  const { subscription } = subscribedBrowser('https://push.example.com/push');
  const first = await owner.ok('createPushSubscription', { body: subscription });
  const second = await stranger.ok('createPushSubscription', { body: subscription });
  const params = { push_subscription_id: first.id };
  expect(await owner.refusal('deletePushSubscription', { params })).toBe('404 not_found');
  expect((await owner.ok('getNotifications')).subscriptions).toEqual([]);
  await stranger.ok('deletePushSubscription', { params: { push_subscription_id: second.id } });
  const odd = { ...subscription, keys: { ...subscription.keys, p256dh: 'x'.repeat(87) } };
  expect(await owner.refusal('createPushSubscription', { body: odd })).toBe('400 invalid_body');
  const far = { ...subscription, endpoint: 'http://169.254.169.254/' };
  expect(await owner.refusal('createPushSubscription', { body: far })).toBe('400 url_not_allowed');
  const near = { ...subscription, endpoint: 'http://127.0.0.1:1/push' };
  expect(await stranger.refusal('createPushSubscription', { body: near })).toBe(
    '400 url_not_allowed',
  );
});
