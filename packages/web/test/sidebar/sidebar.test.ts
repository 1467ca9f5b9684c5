import { answer, fault, gate, text, toolCall } from '@chatd/testing';
import type { BrowserContext, Page, WebSocketRoute } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasFocus } from '../composer/pages.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { aFinishedChat, chatCalled, list, row, settled, SOON, titles } from './rows.ts';

const site = await openSite();

test('changes by another client appear live in icon, name and position', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Atlas');
  await aFinishedChat(site, api, 'Borealis');
  await row(page, 'Borealis', 'Idle, unread').waitFor();
  await expect.poll(() => titles(page), SOON).toEqual(['Borealis', 'Atlas']);

  const pause = gate();
  site.provider.answer(answer([text(['Well', pause, ', yes.'])]));
  const { id } = await chatCalled(api, 'Atlas');
  await api.ok('sendMessage', { params: { chat_id: id }, body: { content: 'Again' } });
  await row(page, 'Atlas', 'Working').waitFor();
  await expect.poll(() => titles(page), SOON).toEqual(['Atlas', 'Borealis']);

  await pause.reached;
  await api.ok('interruptChat', { params: { chat_id: id } });
  await row(page, 'Atlas', 'Interrupted').waitFor();

  await api.ok('updateChat', { params: { chat_id: id }, body: { title: 'Atlas 2', pin_order: 5 } });
  await list(page).getByRole('heading', { name: 'Pinned' }).waitFor();
  await row(page, 'Atlas 2').waitFor();
  await api.ok('deleteChat', { params: { chat_id: id } });
  await row(page, 'Atlas 2').waitFor({ state: 'detached' });
});

const LEAD = 'First measure the beds, and write down how much light each of them gets.';

test('a search finds titles and messages, shows the matching text, and reports no matches', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Garden plans');
  await aFinishedChat(site, api, 'Shopping', `${LEAD} Then buy rhododendrons and compost.`);
  await row(page, 'Shopping').waitFor();
  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.type('rhodo');
  await list(page).getByText('1 chat found').waitFor();
  await expect.poll(() => titles(page), SOON).toEqual(['Shopping']);
  const hit = row(page, 'Shopping');
  await hit.getByText('buy rhododendrons and compost.').waitFor();
  expect(await hit.locator('mark').allInnerTexts()).toEqual(['rhododendrons']);
  expect(await hit.innerText()).not.toContain('First');
  // Opens at the matching message.
  expect(await hit.getAttribute('href')).toMatch(/^\/chats\/[\w-]{36}\?message=\d+$/);
  const field = page.getByRole('searchbox', { name: 'Search chats' });
  await field.fill('garden');
  await list(page).getByText('1 chat found').waitFor();
  // Into the list, back to the field, and into the list again.
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowDown']) {
    await page.keyboard.press(key);
    await hasFocus(key === 'ArrowUp' ? field : row(page, 'Garden plans'));
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Garden plans' }).waitFor();
  await field.fill('unheard-of');
  await list(page).getByText('No matching chats').waitFor();
  await field.press('Escape');
  await row(page, 'Shopping').waitFor();
});

test('a chat is renamed in place, by keyboard, and from its header', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Draft');
  await row(page, 'Draft').focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title' }).fill('Report');
  await page.keyboard.press('Enter');
  await hasFocus(row(page, 'Report'));

  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Report (rename)' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Final report');
  await page.keyboard.press('Enter');
  // The same key press must not open the field again, with the old title.
  await hasFocus(page.getByRole('button', { name: 'Final report (rename)' }));
  expect(await page.getByRole('textbox', { name: 'Title' }).count()).toBe(0);
  await page.getByRole('main', { name: 'Conversation' }).click();
  await row(page, 'Final report').waitFor();
  await expect
    .poll(async () => (await api.ok('getChat', { params: { chat_id: id } })).title, SOON)
    .toBe('Final report');
});

test('a chat that fails in the background is unread until it is opened', async () => {
  const { page, api } = await site.visit('/');
  site.provider.answer(fault.status(400));
  const { id } = await api.ok('createChat', { body: { content: 'Try', title: 'Unlucky' } });
  await row(page, 'Unlucky', 'Failed, unread').click();
  await expect
    .poll(async () => (await api.ok('getChat', { params: { chat_id: id } })).has_unread, SOON)
    .toBe(false);
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await row(page, 'Unlucky', 'Failed$').waitFor();
});

test('a running chat shows its tool call, and one that asks what it waits for', async () => {
  const { page, api } = await site.visit('/');
  site.provider.answer(answer([toolCall('door', { path: 'front' })]));
  await api.ok('createChat', {
    body: {
      content: 'Open the door',
      title: 'Door',
      dynamic_tools: [{ name: 'door', description: 'Opens', input_schema: { type: 'object' } }],
    },
  });
  await row(page, 'Door', 'Needs input, Waiting for a client').waitFor();
  const { activity } = await chatCalled(api, 'Door');
  expect(activity).toEqual({ tool_name: 'door', detail: 'front', awaits: 'dynamic' });
});

test('during an outage, one notice is shown, requests are rare, and messages arrive once afterwards', async () => {
  const { page, api } = await site.visit('/');
  const chat = await aFinishedChat(site, api, 'Letters');
  await page.clock.install();
  const outage = await cuttable(page.context());
  const other = await page.context().newPage();
  await other.goto(site.url);
  await row(other, 'Letters').waitFor();
  await page.goto(`${site.url}/chats/${chat.id}`);
  const box = page.getByRole('textbox', { name: 'Message' });
  await page.getByRole('main', { name: 'Conversation' }).getByText('Done.').waitFor();

  await outage.begin();
  for (let second = 0; second < 20; second += 1) await page.clock.runFor(1000);
  await page.getByText('Connection lost.').waitFor();
  expect(await page.getByText(/connection lost|offline/i).count()).toBe(1);
  expect(outage.refused).toBeLessThan(20);
  await box.fill('written offline');
  await box.press('Enter');
  await page.getByText('Waiting to send: “written offline”').waitFor();
  expect(await box.inputValue()).toBe('');

  site.provider.answer(answer([text('It arrived.')]));
  // Found before the outage ends: the page may reconnect by itself at any time after it.
  const retry = await page.getByRole('button', { name: 'Retry now' }).elementHandle();
  outage.end();
  await retry?.evaluate((button) => (button as HTMLElement).click());
  await page
    .getByRole('main', { name: 'Conversation' })
    .getByText('It arrived.', { exact: true })
    .waitFor();
  await other.getByText('Connection lost.').waitFor({ state: 'detached' });
  await page.getByText('Waiting to send').waitFor({ state: 'detached' });
  const { messages } = await api.ok('listMessages', { params: { chat_id: chat.id } });
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
});

test('a suspended tab that probes the server does not keep others offline', async () => {
  const { page, api } = await site.visit('/');
  const chat = await aFinishedChat(site, api, 'Alone');
  await page.clock.install();
  const outage = await cuttable(page.context());
  const suspended = await page.context().newPage();
  await suspended.goto(`${site.url}/healthz`);
  await suspended.evaluate(() => {
    void navigator.locks.request('chatd.connection', () => new Promise(() => undefined));
  });
  await page.goto(`${site.url}/chats/${chat.id}`);
  await page.getByRole('main', { name: 'Conversation' }).getByText('Done.').waitFor();
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await page.clock.runFor(1000);
  };

  await outage.begin();
  await pass(60);
  await page.getByText('Connection lost.').waitFor();
  expect(outage.refused).toBeLessThan(20);
  outage.end();
  await pass(60);
  await page.getByText('Connection lost.').waitFor({ state: 'detached' });
});

/** Fails all requests and closes all connections of a browser context while cut. */
async function cuttable(context: BrowserContext) {
  const sockets = new Set<WebSocketRoute>();
  const state = { cut: false, refused: 0 };
  const refuse = () => {
    state.refused += 1;
  };
  await context.route('**/api/v1/**', (route) => {
    if (!state.cut) return route.continue();
    refuse();
    return route.abort();
  });
  await context.routeWebSocket(/\/api\/v1\//, (socket) => {
    if (state.cut) {
      refuse();
      return void socket.close();
    }
    sockets.add(socket);
    socket.connectToServer();
  });
  return {
    get refused() {
      return state.refused;
    },
    async begin() {
      state.cut = true;
      await Promise.all([...sockets].map((socket) => socket.close()));
      sockets.clear();
    },
    end() {
      state.cut = false;
    },
  };
}

test('chats are grouped in projects by menu, drag and keyboard, and the project page changes them', async () => {
  const { page, api } = await site.visit('/');
  const orders = await aFinishedChat(site, api, 'Orders');
  await aFinishedChat(site, api, 'Returns');
  await aFinishedChat(site, api, 'Elsewhere');
  await row(page, 'Elsewhere', 'Idle').waitFor();
  expect(await list(page).getByRole('heading', { name: 'Projects' }).count()).toBe(0);

  await row(page, 'Orders').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move to project' }).click();
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await page.keyboard.press('Enter');
  await row(page, 'Orders').waitFor({ state: 'detached' });
  const shop = row(page, 'Shop', 'project');
  await row(page, 'Returns').dragTo(shop);
  await row(page, 'Returns').waitFor({ state: 'detached' });
  await shop.focus();
  await page.keyboard.press('ArrowRight');
  await row(page, 'Returns').waitFor();
  await page.keyboard.press('ArrowDown');
  await hasFocus(row(page, 'Returns'));
  await row(page, 'Returns').dragTo(row(page, 'Elsewhere'));
  await expect
    .poll(async () => (await chatCalled(api, 'Returns')).project_id, SOON)
    .toBeUndefined();

  await shop.click();
  const settings = page.getByRole('form', { name: 'Project settings' });
  await settings.getByRole('textbox', { name: 'Instructions' }).fill('Answer in rhymes.');
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await settings.getByRole('button', { name: 'Save' }).click();
  await settings.getByText('Saved', { exact: true }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  const [project] = (await api.ok('listProjects')).projects;
  expect(project).toMatchObject({ name: 'Shop', instructions: 'Answer in rhymes.' });

  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('button', { name: 'Project: Shop' }).waitFor();
  // The second one is the title. Without it, the request for a title would take the answer of a later test.
  site.provider.answer(answer([text('Here it rhymes.')]), answer([text('Rhymes')]));
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByText('Here it rhymes.', { exact: true }).waitFor();
  await expect
    .poll(
      async () => (await api.ok('listChats', { query: { project_id: project!.id } })).chats.length,
      SOON,
    )
    .toBe(2);

  await shop.click();
  await page.getByRole('button', { name: 'Delete Shop' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Shop' }).click();
  await list(page).getByRole('heading', { name: 'Projects' }).waitFor({ state: 'detached' });
  await row(page, 'Orders').waitFor();
  expect((await api.ok('getChat', { params: { chat_id: orders.id } })).project_id).toBeUndefined();
});

test('the list is not called empty while a closed project hides its chats', async () => {
  const { page, api } = await site.visit('/');
  await list(page).getByText('No chats yet.').waitFor();
  const chat = await aFinishedChat(site, api, 'Hidden');
  const { id: project_id } = await api.ok('createProject', { body: { name: 'Shop' } });
  await api.ok('updateChat', { params: { chat_id: chat.id }, body: { project_id } });
  await page.reload();
  await row(page, 'Shop', 'project').waitFor();
  expect(await list(page).getByText('No chats yet.').count()).toBe(0);
});

test('deleting a chat can be undone and restores its page', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Precious');
  await row(page, 'Precious').click();
  await page.getByRole('heading', { name: 'Precious' }).waitFor();
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await row(page, 'Precious').waitFor({ state: 'detached' });
  await page.waitForURL(`${site.url}/`);
  expect(await api.refusal('getChat', { params: { chat_id: id } })).toBe('404 not_found');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForURL(`**/chats/${id}`);
  await row(page, 'Precious').waitFor();
});

test('a running chat is not deleted, and the notice gives the reason and offers to stop it', async () => {
  const { page, api } = await site.visit('/');
  const pause = gate();
  site.provider.answer(answer([text(['On', pause, ' it.'])]));
  const { id } = await api.ok('createChat', { body: { content: 'Work', title: 'Busy' } });
  await pause.reached;
  await row(page, 'Busy', 'Working').focus();
  await page.keyboard.press('Delete');
  const notice = page.getByRole('listitem').filter({ hasText: '“Busy” could not be deleted' });
  await notice.getByRole('button', { name: 'Stop turn' }).click();
  await row(page, 'Busy', 'Interrupted').waitFor();
  expect((await settled(api, id)).interrupted).toBe(true);
});

test('a chat is pinned by dragging it to the top, and unpinned by dragging it away', async () => {
  const { page, api } = await site.visit('/');
  for (const title of ['One', 'Two', 'Three']) await aFinishedChat(site, api, title);
  // Wait until no more events move them.
  await row(page, 'Three', 'Idle').waitFor();
  await drag(page, 'One', 'Drop here to pin');
  await list(page).getByRole('heading', { name: 'Pinned' }).waitFor();
  // Onto the upper half of the pinned chat: before it.
  await row(page, 'Two').dragTo(row(page, 'One'), { targetPosition: { x: 40, y: 4 } });
  await expect.poll(() => titles(page), SOON).toEqual(['Two', 'One', 'Three']);
  const pinOrder = async (title: string) => (await chatCalled(api, title)).pin_order;
  await expect.poll(() => pinOrder('Two'), SOON).toBeGreaterThan(0);
  await expect.poll(() => pinOrder('One'), SOON).toBeGreaterThan(await pinOrder('Two'));
  await row(page, 'Two').dragTo(row(page, 'Three'));
  await expect.poll(() => pinOrder('Two'), SOON).toBe(0);
});

async function drag(page: Page, title: string, onto: string) {
  await row(page, title).hover();
  await page.mouse.down();
  await page.mouse.move(100, 300);
  const zone = page.getByText(onto);
  await zone.hover();
  await zone.hover();
  await page.mouse.up();
}
