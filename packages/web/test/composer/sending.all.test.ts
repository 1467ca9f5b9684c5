import { expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { converse, messagesOf, queueOf, textOf } from './conversation.ts';
import { answered, begin, box, chatIdOf, give, queue, say } from './pages.ts';

const site = await openSite();
const talk = converse(site.provider);

const said = async (api: Parameters<typeof messagesOf>[0], chatId: string) =>
  (await messagesOf(api, chatId)).filter(({ role }) => role === 'user').map(textOf);

// Long tests, which take a while on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

test('a queued message is dragged to another position', async () => {
  const held = talk.stall('Drag');
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Drag');
  await held.reached;
  for (const words of ['one', 'two', 'three']) {
    await say(page, words);
    await queue(page).getByText(words).waitFor();
  }
  const handle = await queue(page).getByRole('button', { name: 'Move “three”' }).boundingBox();
  const target = await queue(page).getByRole('button', { name: 'Move “one”' }).boundingBox();
  await page.mouse.move(handle!.x + 8, handle!.y + 8);
  await page.mouse.down();
  await page.mouse.move(handle!.x + 8, handle!.y - 10, { steps: 3 });
  await page.mouse.move(target!.x + 8, target!.y - 4, { steps: 5 });
  await page.mouse.up();
  await eventually(async () =>
    expect((await queueOf(api, chatId)).map(textOf)).toEqual(['three', 'one', 'two']),
  );
  const rows = await queue(page).getByRole('listitem').allInnerTexts();
  expect(rows.map((row) => row.split('\n')[0])).toEqual(['three', 'one', 'two']);
  held.release();
});

test('a queued message can be changed to steer, and edits of a message that was taken are kept', async () => {
  const held = talk.stall('Edit while');
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Edit while');
  await held.reached;
  await say(page, 'wait for me');
  const row = queue(page).getByRole('listitem');
  await row.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Send at the next step' }).click();
  await eventually(async () =>
    expect(await queueOf(api, chatId)).toMatchObject([{ busy_behavior: 'steer' }]),
  );
  await row.getByRole('button', { name: 'Edit' }).click();
  await queue(page).getByRole('textbox', { name: 'Queued message' }).fill('wait for my changes');
  held.release();
  await eventually(async () => expect(await box(page).inputValue()).toBe('wait for my changes'));
});

test('a full queue keeps the text and reports it', async () => {
  const held = talk.stall('Fill');
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Fill');
  await held.reached;
  for (let index = 0; index < 20; index += 1) {
    await api.ok('sendMessage', {
      params: { chat_id: chatId },
      body: { content: `message ${index}`, busy_behavior: 'queue' },
    });
  }
  await queue(page).getByText('20 messages queued').waitFor();
  await say(page, 'one too many');
  await page.getByRole('alert').getByText('The queue of this chat is full (20 messages)').waitFor();
  expect(await box(page).inputValue()).toBe('one too many');
  expect(await seriousIssues(page)).toEqual([]);
});

test('a failed message waits beside the next draft and can be edited or discarded', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  const refuse = { status: 500, contentType: 'application/problem+json' };
  const problem = {
    type: 'about:blank',
    title: 'Away',
    status: 500,
    detail: 'The server is away.',
  };
  const drafted = Promise.withResolvers<void>();
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await drafted.promise;
    return route.fulfill({ ...refuse, body: JSON.stringify({ ...problem, code: 'internal' }) });
  });
  await say(page, 'lost for now');
  await box(page).fill('the next one');
  drafted.resolve();
  const alert = page.getByRole('alert').filter({ hasText: 'lost for now' });
  await alert.getByText('The server is away.').waitFor();
  await page.unroute('**/messages');
  expect(await box(page).inputValue()).toBe('the next one');
  await alert.getByRole('button', { name: 'Edit' }).click();
  expect(await box(page).inputValue()).toBe('lost for now\n\nthe next one');
  await box(page).press('Enter');
  await eventually(async () =>
    expect(await said(api, chatId)).toEqual(['Hello', 'lost for now\n\nthe next one']),
  );
});

test('a message in flight survives closing the page and arrives once', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  const arrived = Promise.withResolvers<void>();
  let held = false;
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST' || held) return route.continue();
    held = true;
    await route.fetch();
    // The page is closed before the answer.
    return arrived.resolve();
  });
  await say(page, 'on its way');
  await arrived.promise;
  const again = page.waitForResponse((response) => response.url().endsWith('/messages'));
  await page.reload();
  expect((await again).status()).toBe(201);
  expect(await said(api, chatId)).toEqual(['Hello', 'on its way']);
});

test('a message that may have arrived more than a day ago is not sent again automatically', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  const { id } = await api.ok('getMe', {});
  const key = `chatd.draft.${id}.${chatId}`;
  const draft = { text: 'from yesterday', references: [], attachments: [] };
  const request = JSON.stringify({ content: draft.text, busy_behavior: 'queue' });
  const at = Date.now() - 25 * 60 * 60 * 1000;
  const stored = { ...draft, text: '', outbox: [{ key: 'yesterday', request, draft }], at };
  await page.evaluate(
    ([name, value]) => localStorage.setItem(name!, value!),
    [key, JSON.stringify(stored)],
  );
  const unsent = page.getByRole('alert').filter({ hasText: 'from yesterday' });
  await page.reload();
  await unsent.getByText('Check whether the message has arrived.').waitFor();
  await box(page).fill('a new draft');
  await eventually(async () =>
    expect(await page.evaluate((name) => localStorage.getItem(name), key)).toContain('a new draft'),
  );
  await page.reload();
  await unsent.waitFor();
  expect(await said(api, chatId)).toEqual(['Hello']);
});

test('two tabs share a draft, and sending it in one clears the other', async () => {
  const { page } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  const other = await page.context().newPage();
  await other.goto(`${site.url}/chats/${chatId}`);
  await box(other).waitFor();
  await box(page).fill('written here');
  await eventually(async () => expect(await box(other).inputValue()).toBe('written here'));
  await box(other).fill('written there');
  await eventually(async () => expect(await box(page).inputValue()).toBe('written there'));
  await box(page).press('Enter');
  await eventually(async () => expect(await box(other).inputValue()).toBe(''));
  // Drafts belong to their chat.
  await box(page).fill('for this one');
  await page.getByRole('link', { name: 'New chat' }).first().click();
  expect(await box(page).inputValue()).toBe('');
  await page.goBack();
  expect(await box(page).inputValue()).toBe('for this one');
});

test('a message that waits in one tab survives a draft in another', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  const other = await page.context().newPage();
  await other.goto(`${site.url}/chats/${chatId}`);
  await box(other).waitFor();
  await page.route('**/api/v1/**', (route) => route.abort());
  await say(page, 'waits');
  const waiting = page.getByRole('status').filter({ hasText: 'Waiting to send: “waits”' });
  await waiting.waitFor();
  await box(other).fill('written there');
  await eventually(async () => expect(await box(page).inputValue()).toBe('written there'));
  expect(await waiting.isVisible()).toBe(true);
  await page.unroute('**/api/v1/**');
  await waiting.waitFor({ state: 'detached' });
  expect(await said(api, chatId)).toEqual(['Hello', 'waits']);
});

test('a message that waits while the session ends is sent after signing in again', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  await page.route('**/api/v1/**', (route) => route.abort());
  await say(page, 'waits');
  await page.getByText('Waiting to send: “waits”').waitFor();
  await page.context().clearCookies();
  await page.unroute('**/api/v1/**');
  await page.getByText('Your session has ended.').waitFor();
  const { id } = await api.ok('getMe', {});
  const link = await site.server.admin.ok('createSignInLink', { params: { user_id: id } });
  await page.goto(link.url);
  await eventually(async () => expect(await said(api, chatId)).toEqual(['Hello', 'waits']));
});

test('editing a message sets the draft aside, Esc restores it, and saving removes later messages', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'First words');
  await answered(page, 'First words');
  await say(page, 'Second words');
  await answered(page, 'Second words');
  await box(page).fill('a draft');
  const edit = page.getByRole('button', { name: 'Edit message' }).first();
  await edit.press('Enter');
  await page.getByText('The message and all later ones remain as a version.').waitFor();
  expect(await box(page).inputValue()).toBe('First words');
  await box(page).press('Escape');
  expect(await box(page).inputValue()).toBe('a draft');
  await edit.press('Enter');
  await box(page).fill('Better words');
  await box(page).press('Enter');
  await answered(page, 'Better words');
  expect(await said(api, chatId)).toEqual(['Better words']);
  expect(await box(page).inputValue()).toBe('a draft');
});

test('arrow keys recall earlier prompts', async () => {
  const { page } = await site.visit('/');
  await begin(page, 'one');
  await answered(page, 'one');
  await say(page, 'two');
  await answered(page, 'two');
  await box(page).press('ArrowUp');
  expect(await box(page).inputValue()).toBe('two');
  await box(page).press('ArrowUp');
  expect(await box(page).inputValue()).toBe('one');
  await box(page).press('ArrowDown');
  await box(page).press('ArrowDown');
  expect(await box(page).inputValue()).toBe('');
});

test('images are previewed, large files are refused before upload, failed uploads can be retried', async () => {
  const { page, api } = await site.visit('/');
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const uploads: string[] = [];
  let failing = true;
  await page.route('**/files?name=*', (route) => {
    uploads.push(route.request().url());
    return failing ? route.abort() : route.continue();
  });
  await box(page).waitFor();
  await page.getByLabel('Files to attach').setInputFiles({
    name: 'dot.png',
    mimeType: 'image/png',
    buffer: picture,
  });
  const files = page.getByRole('list', { name: 'Attached files' });
  await files.getByText('The server is unreachable.').waitFor();
  await box(page).fill('Look');
  expect(await page.getByRole('button', { name: 'Send' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  const why = page.getByText('A file could not be attached. Retry or remove it to send.');
  expect((await why.boundingBox())?.height).toBeGreaterThan(10);
  failing = false;
  await files.getByRole('button', { name: 'Retry upload of dot.png' }).click();
  await files.getByRole('button', { name: 'Remove dot.png' }).waitFor();
  expect(await files.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(
    1,
  );

  await files.getByRole('button', { name: 'View dot.png' }).click();
  const view = page.getByRole('dialog', { name: 'dot.png' });
  await view.getByRole('img', { name: 'dot.png' }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await view.waitFor({ state: 'detached' });

  const before = uploads.length;
  await give(page, 'paste', [{ name: 'huge.bin', content: 10 * 1024 * 1024 + 1 }]);
  await files.getByText('the limit is 10 MiB').waitFor();
  expect(uploads.length).toBe(before);
  await files.getByRole('button', { name: 'Remove huge.bin' }).click();

  await give(page, 'paste', [], 'line\n'.repeat(1500));
  await files.getByRole('button', { name: 'Paste as text' }).click();
  expect((await box(page).inputValue()).length).toBe('Look'.length + 7500);
  await box(page).fill('Look');
  expect(await seriousIssues(page)).toEqual([]);
  await box(page).press('Enter');
  await page.waitForURL(/\/chats\//);
  const [message] = await messagesOf(api, chatIdOf(page));
  expect(message?.content).toMatchObject([{ type: 'file', name: 'dot.png' }, { type: 'text' }]);
});

test('an archived chat accepts no messages until it is unarchived, and keeps the draft', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  await box(page).fill('a draft');
  await api.ok('updateChat', { params: { chat_id: chatId }, body: { archived: true } });
  await page.getByRole('button', { name: 'Unarchive' }).last().click();
  await box(page).waitFor();
  expect(await box(page).inputValue()).toBe('a draft');
});

test('the layout does not shift when a turn starts and ends', async () => {
  const held = talk.stall('Stand still');
  const { page } = await site.visit('/');
  await begin(page, 'Hello');
  await answered(page, 'Hello');
  const places = async () => {
    const send = page.getByRole('button', { name: /^(?:Send|Queue)$/ });
    return [await box(page).boundingBox(), (await send.boundingBox())?.x];
  };
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  const idle = await places();
  await say(page, 'Stand still');
  await held.reached;
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  expect(await places()).toEqual(idle);
  held.release();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(await places()).toEqual(idle);
});
