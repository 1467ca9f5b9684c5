import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, text, toolCall } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { settled } from '../sidebar/rows.ts';
import { panelIssues } from './issues.ts';
import { openWorkshop, write } from './workshop.ts';

const workshop = await openWorkshop();
const panelOf = (page: Page) => page.getByRole('region', { name: 'Side panel' });

test('changed lines are shown and commented on', async () => {
  const { page, open } = await workshop.visit();
  await open('Changes');
  const panel = panelOf(page);
  await panel.getByText('3 files').waitFor();
  const tree = panel.getByRole('tree', { name: 'Changed files' });
  expect(await tree.getByRole('treeitem').allInnerTexts()).toHaveLength(6);
  const file = panel.getByRole('region', { name: 'src/greet.ts' });
  await file.getByText("return `${words.join(', ')}!`;").waitFor();
  expect(await panelIssues(page)).toEqual([]);

  // Split layout and back.
  await panel.getByRole('button', { name: 'Split' }).click();
  await file.getByText("return words.join(', ');").waitFor();
  // Highlighted again, in the new elements.
  await expect.poll(() => highlightedIn(page, 'src/greet.ts')).toContain('return');
  expect(await panelIssues(page)).toEqual([]);
  // The list has the order of the tree.
  const leaves = await tree.locator('[role="treeitem"]:not([aria-expanded])').allInnerTexts();
  const listed = await panel
    .locator('section[data-path]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-path')?.split('/').at(-1) ?? ''));
  expect(listed).toEqual(leaves.map((leaf) => leaf.split('\n')[0]?.trim()));
  await panel.getByRole('button', { name: 'Unified' }).click();

  // By keyboard: selects two lines and comments on them.
  await file.getByRole('button', { name: 'Comment on line 1', exact: true }).focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Is one mark enough?');
  await page.keyboard.press('Control+Enter');
  const message = page.getByRole('textbox', { name: 'Message' });
  expect(await message.inputValue()).toBe('src/greet.ts, line 4: Is one mark enough?');
  await page.getByRole('list', { name: 'Referenced lines' }).getByText('greet.ts').waitFor();

  workshop.site.provider.answer(answer([text('Two then.')]));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Two then.').first().waitFor();
  const sent = JSON.stringify(workshop.site.provider.requests.at(-1)?.body);
  expect(sent).toContain('Is one mark enough?');
  expect(sent).toContain('src/greet.ts');
}, 60_000);

test('a terminal works and is restored after a reload', async () => {
  const { page, open } = await workshop.visit();
  await open('Terminal');
  const panel = panelOf(page);
  const screen = panel.locator('.xterm-rows');
  await panel.getByText('Connected').waitFor();
  await page.keyboard.type('echo "sum $((20 + 22))"; ls\n');
  await expect.poll(() => screen.innerText(), { timeout: 15_000 }).toMatch(/sum 42[^]*README\.md/);
  expect(await panelIssues(page)).toEqual([]);
  await page.reload();
  await expect.poll(() => screen.innerText(), { timeout: 15_000 }).toContain('sum 42');
  await panel.getByText('Connected').waitFor();
  await page.keyboard.press('Shift+Escape');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Terminal 1');
});

test('files are browsed and read', async () => {
  const { page, open } = await workshop.visit();
  await open('Files');
  const panel = panelOf(page);
  await panel.getByRole('treeitem', { name: 'src' }).press('ArrowRight');
  await panel.getByRole('treeitem', { name: /^greet\.ts/ }).press('Enter');
  await panel.getByRole('heading', { name: 'src/greet.ts' }).waitFor();
  await panel.getByText('export const version = 2;').waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Back to files' }).click();
  await panel.getByRole('searchbox', { name: 'Find file' }).fill('rdme');
  await panel.getByRole('treeitem', { name: 'README.md' }).click();
  await panel.getByText('Sells things.').waitFor();
});

/** The texts that the browser colors in a file. */
const highlightedIn = (page: Page, path: string) =>
  page.evaluate((wanted) => {
    const section = [...document.querySelectorAll<HTMLElement>('section[data-path]')].find(
      ({ dataset }) => dataset['path'] === wanted,
    );
    return [...CSS.highlights.values()]
      .flatMap((one) => [...one])
      .filter(
        (range) => range.startContainer.isConnected && section?.contains(range.startContainer),
      )
      .map(({ startContainer, startOffset, endOffset }) =>
        startContainer.textContent?.slice(startOffset, endOffset),
      );
  }, path);

test('a file is edited, and a change of the agent is not overwritten', async () => {
  const { page, open, folder } = await workshop.visit();
  await open('Files');
  const panel = panelOf(page);
  await panel.getByRole('treeitem', { name: /^README\.md/ }).click();
  // Markdown is rendered; its source is one click away.
  await panel.getByRole('heading', { name: 'Shop' }).waitFor();
  await panel.getByRole('button', { name: 'Edit file' }).click();
  const field = panel.getByRole('textbox', { name: 'Content of README.md' });
  await field.fill('# Shop\n\nSells more things.\n');
  await page.keyboard.press('ControlOrMeta+s');
  await field.waitFor({ state: 'hidden' });
  await panel.getByText('Sells more things.').waitFor();
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('# Shop\n\nSells more things.\n');

  await panel.getByRole('button', { name: 'Edit file' }).click();
  await field.fill('mine\n');
  await write(folder, { 'README.md': 'of the agent\n' });
  await panel.getByRole('button', { name: 'Save file' }).click();
  await panel.getByText('The file changed in the workspace').waitFor();
  const theirs = panel.getByRole('textbox', { name: 'Version in the workspace' });
  expect(await theirs.inputValue()).toBe('of the agent\n');
  expect(await panelIssues(page)).toEqual([]);
  // Leaving asks first.
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Keep editing' }).click();
  const yours = panel.getByRole('textbox', { name: 'Your version' });
  await yours.fill('both\n');
  await panel.getByRole('button', { name: 'Save your version' }).click();
  await yours.waitFor({ state: 'hidden' });
  await panel.getByText('both').waitFor();
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('both\n');
});

test('files are uploaded and downloaded, and previews run no scripts', async () => {
  const { page, open, folder } = await workshop.visit({ hostile: true });
  await open('Files');
  const panel = panelOf(page);
  await panel.getByRole('treeitem', { name: 'src' }).click();
  const upload = (name: string, content: string) =>
    panel
      .getByLabel('Files to upload')
      .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from(content) }]);
  await upload('note.txt', 'one');
  await panel.getByRole('treeitem', { name: /^note\.txt/ }).waitFor();
  expect(await readFile(join(folder, 'src/note.txt'), 'utf8')).toBe('one');
  await upload('note.txt', 'two');
  await panel.getByText('note.txt: exists with other content.').waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Overwrite file' }).click();
  await expect.poll(() => readFile(join(folder, 'src/note.txt'), 'utf8')).toBe('two');

  await panel.getByRole('button', { name: 'Upload or download' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download src as ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('src.zip');

  await write(folder, {
    'evil.html': '<h1>Page</h1><script>document.title = "ran"</script>',
    'evil.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.document.title="ran"</script></svg>',
  });
  await panel.getByRole('button', { name: 'Refresh' }).click();
  await panel.getByRole('treeitem', { name: /^evil\.svg/ }).click();
  await panel.getByRole('img', { name: 'evil.svg' }).waitFor();
  await panel.getByRole('button', { name: 'Back to files' }).click();
  await panel.getByRole('treeitem', { name: /^evil\.html/ }).click();
  await page.frameLocator('iframe[title="Preview of evil.html"]').getByText('Page').waitFor();
  expect(await page.title()).not.toContain('ran');
});

const SERVER = `
import { createServer } from 'node:http';
import { createHash } from 'node:crypto';
const server = createServer((request, response) => {
  response.setHeader('content-type', request.url === '/main.js' ? 'text/javascript' : 'text/html');
  response.end(request.url === '/main.js' ? MAIN : '<h1>Shop</h1><script type="module" src="/main.js"></script>');
});
server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Accept: ' +
    accept + '\\r\\n\\r\\n');
  socket.write(Buffer.concat([Buffer.from([0x81, 4]), Buffer.from('live')]));
});
/** Tries everything that a page of an agent may try. */
const MAIN = \`
const show = (name, text) => { const p = document.createElement('p'); p.textContent = name + ': ' + text; document.body.append(p); };
const attempt = async (name, act) => { try { show(name, await act()); } catch (error) { show(name, 'blocked'); } };
const chatd = 'CHATD';
await attempt('storage', () => { localStorage.setItem('own', '1'); return Object.keys(localStorage).join(); });
show('cookies', document.cookie === '' ? 'none' : document.cookie);
await attempt('parent', () => parent.document.title);
await attempt('parent storage', () => parent.localStorage.length);
await attempt('read', async () => (await fetch(chatd + '/api/v1/users/me', { credentials: 'include' })).status);
await attempt('blind read', async () => (await fetch(chatd + '/api/v1/users/me', { credentials: 'include', mode: 'no-cors' })).type);
await attempt('own api', async () => (await (await fetch('/api/v1/users/me')).text()).includes('Shop') ? 'only the program' : 'chatd');
await attempt('top', () => { if (top === self) throw new Error(); top.location = 'about:blank'; return 'left'; });
await attempt('frame', () => new Promise((resolve) => {
  const frame = document.createElement('iframe');
  frame.title = 'chatd';
  frame.src = chatd + '/';
  frame.onload = () => { try { resolve(frame.contentDocument === null ? 'blocked' : 'read'); } catch { resolve('blocked'); } };
  document.body.append(frame);
}));
new WebSocket(location.href.replace('http', 'ws')).onmessage = ({ data }) => show('socket', data);
const chat = new WebSocket(chatd.replace('http', 'ws') + '/api/v1/chats/watch');
chat.onopen = () => show('chatd socket', 'open');
chat.onerror = () => show('chatd socket', 'blocked');
\`;
server.listen(4173, '127.0.0.1');
`;

test('a port is shown in a preview that cannot reach chatd', async () => {
  const { page, open, folder } = await workshop.visit({ hostile: true });
  await write(folder, { 'server.mjs': SERVER.replace('CHATD', workshop.site.url) });
  await open('Terminal');
  const panel = panelOf(page);
  await panel.getByText('Connected').waitFor();
  await page.keyboard.type('/run/chatd/node server.mjs\n');
  await page.keyboard.press('Shift+Escape');
  await open('Ports');
  await panel.getByRole('button', { name: 'Open preview of port 4173' }).click();
  const frame = page.frameLocator('iframe[title="Preview of port 4173"]');
  await frame.getByRole('heading', { name: 'Shop' }).waitFor();
  for (const outcome of [
    'cookies: none',
    'parent: blocked',
    'parent storage: blocked',
    'read: blocked',
    'own api: only the program',
    'top: blocked',
    'frame: blocked',
    'socket: live',
    'chatd socket: blocked',
  ]) {
    await frame.getByText(outcome, { exact: true }).waitFor();
  }
  expect(await panelIssues(page)).toEqual([]);
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    panel.getByRole('link', { name: 'Open in new tab' }).click(),
  ]);
  // In its own tab, the page has storage, which is not that of chatd.
  await tab.getByText('storage: own', { exact: true }).waitFor();
  await tab.getByText('socket: live', { exact: true }).waitFor();
  expect(await tab.evaluate(() => opener)).toBeNull();
  expect((await tab.context().cookies(tab.url())).map(({ name }) => name)).toEqual([]);
});

test('the reason is shown if a desktop cannot be started', async () => {
  const { page, open } = await workshop.visit();
  const detail = 'A desktop requires Xvnc, which is not installed on this host.';
  await page.route('**/desktop/start', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 409, code: 'no_desktop', title: 'No desktop', detail }),
    }),
  );
  await open('Desktop');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Start desktop' }).click();
  await panel.getByRole('alert').getByText(detail).waitFor();
  await panel.getByRole('button', { name: 'Start desktop' }).waitFor();
  expect(await panelIssues(page)).toEqual([]);
});

test('panes are resized by pointer and keyboard, and stay that way', async () => {
  const { page, open } = await workshop.visit();
  await open('Details');
  const panel = panelOf(page);
  const width = async () => Math.round((await panel.boundingBox())?.width ?? 0);
  const edge = page.getByRole('separator', { name: 'Resize side panel' });
  const before = await width();
  const box = await edge.boundingBox();
  if (box === null) throw new Error('the edge is not visible');
  await page.mouse.move(box.x, 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 100, 300, { steps: 4 });
  await page.mouse.up();
  await expect.poll(width).toBe(before - 100);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(width).toBe(before - 84);
  const list = page.getByRole('separator', { name: 'Resize chat list' });
  await list.focus();
  await page.keyboard.press('Home');
  await page.reload();
  await panel.waitFor();
  await expect.poll(width).toBe(before - 84);
  expect(await list.getAttribute('aria-valuenow')).toBe('208');
  expect(await panelIssues(page)).toEqual([]);

  await page.getByRole('button', { name: 'Expand side panel' }).click();
  await expect.poll(width).toBeGreaterThan(700);
  expect(await page.locator('div[inert]').count()).toBe(1);
  await page.getByRole('button', { name: 'Show chat beside panel' }).click();
  await expect.poll(width).toBe(before - 84);
});

test('the details show context and cost', async () => {
  const { page, open } = await workshop.visit();
  await open('Details');
  const panel = panelOf(page);
  await panel.getByRole('region', { name: 'Cost by model' }).getByText('Sonnet').waitFor();
  await panel.getByText('AGENTS.md').first().waitFor();
  await panel.getByText('/release').waitFor();
  await panel.getByRole('region', { name: 'Workspace' }).getByText('running').waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Stop' }).click();
  await panel.getByText('stopped').waitFor();
  await open('Terminal');
  await panel.getByRole('button', { name: 'Start workspace' }).click();
  await panel.getByText('Connected').waitFor();
});

const writing = (path: string, content: string) => toolCall('write_file', { path, content });

test('the changes of a turn are shown and restored, and editing its message restores the files', async () => {
  const { page, api, chatId, folder } = await workshop.visit();
  const { provider } = workshop.site;
  const params = { chat_id: chatId };
  const turn = async (content: string, calls: ReturnType<typeof toolCall>[]) => {
    provider.answer(answer(calls));
    provider.answer(answer([text(`${content} is done.`)]));
    await api.ok('sendMessage', { params, body: { content } });
    await page.getByText(`${content} is done.`).first().waitFor();
    await settled(api, chatId);
  };
  await turn('The first', [writing('README.md', 'One.\n')]);
  await turn('The second', [writing('README.md', 'Two.\n'), writing('new.txt', 'a\nb\n')]);

  const changes = page.getByRole('button', { name: /added \+3 removed −1 in 2 files/ });
  await changes.click();
  const dialog = page.getByRole('dialog', { name: 'Changes of this turn: 2 files' });
  await dialog.getByRole('region', { name: 'README.md' }).getByText('Two.').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  // A later change by hand is never overwritten silently.
  await writeFile(join(folder, 'README.md'), 'By hand.\n');
  await dialog.getByRole('button', { name: 'Restore to before this turn' }).click();
  await dialog.getByText('These files were changed since by others.').waitFor();
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('By hand.\n');
  await dialog.getByRole('button', { name: 'Overwrite and restore' }).click();
  await page.getByText('Restored 2 files.').waitFor();
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('One.\n');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The restore was undone.').waitFor();
  expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('a\nb\n');

  const message = page.getByRole('article', { name: /^You/ }).filter({ hasText: 'The second' });
  await message.hover();
  await message.getByRole('button', { name: 'Edit message' }).click();
  await page.getByLabel('Restore the files to before this message').check();
  await page.getByRole('textbox', { name: 'Message' }).fill('Another second');
  provider.answer(answer([text('Another is done.')]));
  await page.keyboard.press('Enter');
  await page.getByText('Another is done.').first().waitFor();
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('One.\n');
  await expect(readFile(join(folder, 'new.txt'))).rejects.toThrow('ENOENT');
}, 90_000);
