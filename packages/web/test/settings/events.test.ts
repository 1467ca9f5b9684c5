import { answer, text } from '@chatd/testing';
import { execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { expect, test, vi } from 'vitest';
import { startReceiver, verified } from '../../../server/test/outbox/receiver.ts';
import { subscribedBrowser } from '../../../server/test/outbox/subscribed-browser.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';

vi.setConfig({ testTimeout: 90_000 });

const site = await openSite();

test('a webhook is added with a secret that is shown once, tested, and its dead letters are delivered again', async () => {
  const receiver = await startReceiver();
  const { page, api } = await site.visit('/settings/webhooks', { role: 'admin' });
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('http://169.254.169.254/');
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  await dialog.getByText(/always blocked/).waitFor();
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  const secret = (await dialog.getByLabel('Secret').textContent()) ?? '';
  expect(await seriousIssues(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: `Test ${receiver.url}` }).click();
  await page.getByText('The receiver responded with HTTP 204.').waitFor();
  expect(verified(secret, receiver.requests[0]!).type).toBe('webhook.test');

  // Its only event has failed for a day.
  receiver.answer = () => 500;
  site.provider.answer(answer([text('Done.')]));
  await api.ok('createChat', { body: { content: 'Hi', title: 'The chat of the event' } });
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1));
  await eventually(async () => {
    await execute(
      site.server.databaseUrl,
      `UPDATE outbox SET expires_at = now(), due_at = now() WHERE last_error IS NOT NULL AND state = 'pending'`,
    );
    const { webhooks } = await api.ok('listWebhooks');
    const params = { webhook_id: webhooks[0]?.id ?? '' };
    const { deliveries } = await api.ok('listWebhookDeliveries', { params });
    expect(deliveries).toMatchObject([{ state: 'dead' }]);
  });
  receiver.answer = () => 200;
  await page.getByRole('button', { name: `Events of ${receiver.url}` }).click();
  const event = page.getByRole('dialog').getByRole('listitem');
  await event.getByText('The chat of the event').waitFor();
  await event.getByText('dead letter').waitFor();
  await page.getByRole('button', { name: 'Redeliver dead letters' }).click();
  await page.getByText('Delivering 1 dead letter again').waitFor();
  await eventually(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    expect(await event.getByText('delivered', { exact: true }).count()).toBe(1);
  });
});

test('an admin sees, disables and deletes the webhooks of other users', async () => {
  const { page, api } = await site.visit('/settings/webhooks', { role: 'admin' });
  const { stranger: owner } = site.server;
  const url = 'https://example.com/events';
  const { id } = await owner.ok('createWebhook', { body: { url, events: ['chat.error'] } });
  const recorded = async () => {
    const { audit_events } = await api.ok('listAuditEvents', { query: { limit: 200 } });
    return audit_events.filter(({ action }) => action === 'webhook.list_all').length;
  };
  const before = await recorded();
  await page.getByRole('button', { name: 'Show webhooks' }).click();
  const list = page.getByRole('list', { name: 'Webhooks of other users' });
  const row = list.getByRole('listitem').filter({ hasText: url });
  await row.getByText('Owner: stranger').waitFor();
  expect(await recorded()).toBeGreaterThan(before);
  expect(await seriousIssues(page)).toEqual([]);
  await row.getByRole('switch').uncheck();
  await row.getByText('disabled').waitFor();
  expect(await owner.ok('getWebhook', { params: { webhook_id: id } })).toMatchObject({
    enabled: false,
  });
  await row.getByRole('button', { name: `Delete ${url}` }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: `Delete ${url}` })
    .click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });
  expect((await owner.ok('listWebhooks')).webhooks).toEqual([]);
});

test('a notification is shown by the service worker, and opens its chat', async () => {
  const service = await startReceiver();
  const { subscription, decrypted } = subscribedBrowser(service.url);
  const { page, api } = await site.visit('/', { role: 'admin' });
  const context = page.context();
  await context.grantPermissions(['notifications'], { origin: site.url });
  // Chromium's push service is on the internet. Everything else is real.
  await page.addInitScript((given) => {
    let current: object | null = null;
    Object.assign(PushManager.prototype, {
      getSubscription: () => Promise.resolve(current),
      subscribe: () => {
        current = { ...given, toJSON: () => given, unsubscribe: () => Promise.resolve(true) };
        return Promise.resolve(current);
      },
    });
  }, subscription);
  await page.goto(`${site.url}/settings/notifications`);
  await page.getByRole('button', { name: 'Allow notifications' }).click();
  await page.getByText('This browser shows notifications.').waitFor();
  await page.getByRole('switch', { name: 'A turn has finished' }).check();
  expect(await seriousIssues(page)).toEqual([]);
  await eventually(async () =>
    expect(await api.ok('getNotifications')).toMatchObject({ needs_you: true, finished: true }),
  );

  site.provider.answer(answer([text('Done.')]));
  const { id } = await api.ok('createChat', { body: { content: 'Hi', title: 'Ready' } });
  await eventually(() => expect(service.requests).toHaveLength(1));
  const data = JSON.stringify(decrypted(service.requests[0]!));

  // The push service passes the message on to the browser.
  const devtools = await context.newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations;
      if (registration !== undefined) resolve(registration.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await registered;
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: site.url,
    registrationId,
    data,
  });
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const list = await registration.getNotifications();
      return list.map(({ title, body, tag }) => ({ title, body, tag }));
    });
  await eventually(async () =>
    expect(await shown()).toEqual([{ title: 'Ready', body: 'Finished', tag: id }]),
  );

  // Tests cannot click a notification, so the event is dispatched.
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(`(async () => {
    const [notification] = await self.registration.getNotifications();
    const event = new NotificationEvent('notificationclick', { notification });
    Object.defineProperty(event, 'waitUntil', { value: (work) => work.catch(() => undefined) });
    self.dispatchEvent(event);
  })()`);
  await page.waitForURL(`${site.url}/chats/${id}`);
  await page.getByText('Done.').waitFor();
  expect(await shown()).toEqual([]);

  // The next user of the browser sees no notifications of this one.
  expect((await api.ok('getNotifications')).subscriptions).toHaveLength(1);
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
  expect((await api.ok('getNotifications')).subscriptions).toEqual([]);
});
