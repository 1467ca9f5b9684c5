import { answer, fault, gate, reasoning, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { openSite } from '../support/site.ts';
import { seriousIssues } from '../support/axe.ts';
import { script, send, settled, timeline, topOf } from './conversation.ts';
import { longStory, said, storeChat } from './stored-chat.ts';

const site = await openSite();
const { answers } = script(site.provider);

test('an answer streams in and is committed without rendering again', async () => {
  const middle = gate();
  answers.push(answer([text(['The first half, ', middle, 'and **the second**.\n\nDone.'])]));
  const { page } = await site.visit('/');
  await send(page, 'Tell me');
  await timeline(page).getByText('The first half,').waitFor();
  await page.evaluate(() => {
    const paragraph = document.querySelector('[data-row="text"] p');
    paragraph?.setAttribute('data-seen', 'yes');
  });
  middle.release();
  await timeline(page).getByText('Done.').waitFor();
  await timeline(page).getByRole('button', { name: 'Copy answer' }).waitFor();
  expect(await page.locator('[data-seen]').textContent()).toBe('The first half, and the second.');
  expect(await page.locator('[data-row="text"]').count()).toBe(1);
  expect(await seriousIssues(page)).toEqual([]);
});

test('a reload in the middle of an answer misses nothing', async () => {
  const middle = gate();
  const parts = Array.from({ length: 60 }, (_, at) => `word${at} `);
  answers.push(answer([text([...parts.slice(0, 30), middle, ...parts.slice(30)])]));
  const { page } = await site.visit('/');
  const sockets: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/\/stream\?/, (ws) => {
    ws.connectToServer();
    sockets.push(ws);
  });
  await send(page, 'Count');
  await timeline(page).getByText('word29').waitFor();
  await sockets[0]?.close();
  middle.release();
  await timeline(page).getByText('word59').waitFor();
  const words = (await page.locator('[data-row="text"]').allInnerTexts()).join(' ').trim();
  expect(words.split(/\s+/)).toEqual(parts.map((part) => part.trim()));
  expect(sockets.length).toBeGreaterThan(1);
});

test('the view follows a streaming answer, and keeps its position once the user scrolls up', async () => {
  const middle = gate();
  const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} of the answer.\n\n`);
  answers.push(answer([text([...paragraphs.slice(0, 20), middle, ...paragraphs.slice(20)])]));
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(60));
  await page.goto(`${site.url}/chats/${id}`);
  // A message that takes long to send is shown above the composer, which shrinks the timeline.
  const taken = page.waitForResponse(/\/messages$/);
  await send(page, 'Go on');
  await taken;
  await timeline(page).getByText('Paragraph 19 of').waitFor();
  await settled(page);
  const toEnd = () =>
    timeline(page).evaluate((e) => e.scrollHeight - e.clientHeight - Math.round(e.scrollTop));
  expect(await toEnd()).toBeLessThanOrEqual(1);

  await timeline(page).hover();
  await page.mouse.wheel(0, -700);
  await page.getByRole('button', { name: /Jump to latest/ }).waitFor();
  await settled(page);
  const read = timeline(page).getByText('The end of 59.');
  const before = await topOf(read);
  middle.release();
  await page.getByText(/1 new/).waitFor();
  await settled(page);
  expect(Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1);
  await page.getByRole('button', { name: /Jump to latest/ }).click();
  await timeline(page).getByText('Paragraph 39 of').waitFor();
  await settled(page);
  expect(await toEnd()).toBeLessThanOrEqual(1);
});

test('the view stays at the end when the composer changes its height', async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(20));
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 19.').waitFor();
  await settled(page);
  const height = () => timeline(page).evaluate((e) => e.clientHeight);
  const before = await height();
  const message = page.getByRole('textbox', { name: 'Message' });
  // It scrolls in the same frame, as during an answer.
  await message.evaluate((field) => {
    const scroller = document.querySelector('[data-timeline]');
    const changed = new MutationObserver(() => scroller?.scrollBy(0, -1));
    changed.observe(field, { subtree: true, childList: true, characterData: true });
  });
  const jump = page.getByRole('button', { name: /Jump to latest/ });
  await message.fill('A line\n'.repeat(8));
  await expect.poll(height, { timeout: 15_000 }).toBeLessThan(before - 100);
  await settled(page);
  expect(await jump.count()).toBe(0);
  await message.fill('');
  await expect.poll(height, { timeout: 15_000 }).toBe(before);
  await settled(page);
  expect(await jump.count()).toBe(0);
});

test('older messages are prepended without moving the text being read', async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(300));
  // The test releases them page by page.
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  const holds = [allowed.promise];
  await page.route(/\/messages\?.*before_id/, async (route) => {
    asked.resolve();
    await (holds.shift() ?? looked.promise);
    await route.continue();
  });
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 299.').waitFor();
  await asked.promise;
  await timeline(page).evaluate((e) => e.scrollTo({ top: 300 }));
  await settled(page);
  const first = page.locator('[data-row="user"]').first();
  const words = await first.locator('p').innerText();
  const read = timeline(page).getByText(words, { exact: true });
  const before = await topOf(read);
  const height = () => timeline(page).evaluate((e) => e.scrollHeight);
  const heightBefore = await height();
  allowed.resolve();
  await expect.poll(height, { timeout: 15_000 }).toBeGreaterThan(heightBefore * 2);
  await settled(page);
  expect(Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1);
  // Continues up to the beginning.
  looked.resolve();
  const beginning = async () => {
    await timeline(page).evaluate((e) => e.scrollTo({ top: 0 }));
    return await page.getByText('Question 0', { exact: true }).isVisible();
  };
  await expect.poll(beginning, { timeout: 20_000 }).toBe(true);
});

test('reasoning is collapsed to a line with its duration', async () => {
  const middle = gate();
  answers.push(answer([reasoning(['I should ', middle, 'be brief.']), text('Yes.')]));
  const { page } = await site.visit('/');
  await send(page, 'Is it?');
  const line = timeline(page).getByRole('button', { name: /Thinking/ });
  await line.waitFor();
  expect(await page.getByText('I should').count()).toBe(0);
  await line.click();
  await page.getByText('I should').waitFor();
  middle.release();
  await timeline(page)
    .getByRole('button', { name: /Thought for/ })
    .waitFor();
  await page.getByText('I should be brief.').waitFor();
});

test('an answer is regenerated, a message edited, and every version can be continued', async () => {
  const { page } = await site.visit('/');
  answers.push(answer([text('The first answer.')]), answer([text('The second answer.')]));
  await send(page, 'A question');
  await timeline(page).getByText('The first answer.').waitFor();
  await page.getByRole('button', { name: 'Regenerate answer' }).click();
  await page.getByRole('menuitem', { name: 'Regenerate', exact: true }).click();
  await timeline(page).getByText('The second answer.').waitFor();
  await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  expect(await timeline(page).getByText('The first answer.').count()).toBe(0);
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('button', { name: 'Previous version' }).click();
  await timeline(page).getByText('The first answer.').waitFor();
  answers.push(answer([text('The first is continued.')]));
  await send(page, 'Go on');
  await timeline(page).getByText('The first is continued.').waitFor();

  const question = page.getByRole('article').filter({ hasText: 'A question' });
  await question.getByRole('button', { name: 'Edit message' }).click();
  answers.push(answer([text('Another beginning.')]));
  await page.getByRole('textbox', { name: /Message/ }).fill('Another question');
  await page.keyboard.press('Enter');
  await timeline(page).getByText('Another beginning.').waitFor();
  const edited = page.getByRole('article').filter({ hasText: 'Another question' });
  await edited.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
  await edited.getByRole('button', { name: 'Previous version' }).click();
  await timeline(page).getByText('The first is continued.').waitFor();
  await timeline(page).getByText('The first answer.').waitFor();
  await page.reload();
  await timeline(page).getByText('The first is continued.').waitFor();
  // Versions of the message, and of its answer.
  await question.getByRole('group', { name: 'Version 1 of 2' }).waitFor();
  await page.locator('footer').getByRole('group', { name: 'Version 1 of 2' }).waitFor();
});

test('find steps through all matches, highlights them, and expands what hides them', async () => {
  const { page, api } = await site.visit('/');
  const call = { tool_call_id: 'c1', tool_name: 'execute' };
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    said('user', 'Where is the walrus?'),
    ...longStory(60).slice(1),
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          ...call,
          args: { command: 'ls' },
          created_at: '2026-03-01T10:00:00.000Z',
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          ...call,
          result: { output: 'a walrus', exit_code: 0 },
          // After the approval.
          started_at: '2026-03-01T10:20:00.000Z',
          created_at: '2026-03-01T10:20:03.000Z',
        },
      ],
    },
    said('assistant', 'The **wal**rus is here, and a walrus\nis there.'),
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('is there.').waitFor();
  expect(await timeline(page).getByText('a walrus', { exact: true }).count()).toBe(0);
  // The duration of a call does not include the time until a person allowed it.
  await timeline(page).locator('[data-row="tool"]').getByText('3.0 s', { exact: true }).waitFor();
  await page.keyboard.press('Control+f');
  const box = page.getByRole('searchbox', { name: 'Find in this chat' });
  await box.fill('WALRUS');
  const bar = page.getByRole('search', { name: 'Find in this chat' });
  await bar.getByText(/of 4$/).waitFor();
  const highlighted = () =>
    page.evaluate(() => {
      const [range] = CSS.highlights.get('find-current') ?? [];
      const at = (range as Range | undefined)?.getBoundingClientRect();
      const seen = document.querySelector('[data-timeline]')!.getBoundingClientRect();
      return {
        row: range?.startContainer.parentElement?.closest('[data-row]')?.getAttribute('data-row'),
        visible: at !== undefined && at.top >= seen.top && at.bottom <= seen.bottom,
      };
    });
  const rows = new Set<string>();
  for (const _ of Array.from({ length: 4 })) {
    await expect.poll(highlighted, { timeout: 10_000 }).toMatchObject({ visible: true });
    rows.add(`${await bar.getByRole('status').textContent()} ${(await highlighted()).row}`);
    const before = await bar.getByRole('status').textContent();
    await box.press('Enter');
    await expect
      .poll(() => bar.getByRole('status').textContent(), { timeout: 10_000 })
      .not.toBe(before);
    await settled(page);
  }
  expect([...rows].toSorted()).toEqual([
    '1 of 4 user',
    '2 of 4 tool',
    '3 of 4 text',
    '4 of 4 text',
  ]);
  expect(await page.evaluate(() => CSS.highlights.get('find')?.size)).toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => CSS.highlights.has('find'))).toBe(false);
});

test('find opens collapsed details', async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    said('user', 'Hide it'),
    said('assistant', '<details>\n<summary>More</summary>\n\nAn ocelot.\n\n</details>\n\nDone.'),
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('Done.').waitFor();
  expect(await timeline(page).getByText('An ocelot.').count()).toBe(0);
  await page.keyboard.press('Control+f');
  await page.getByRole('searchbox', { name: 'Find in this chat' }).fill('ocelot');
  await timeline(page).getByText('An ocelot.').waitFor();
});

test('a link opens a chat at a message, and Back returns to where the user was', async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(1000));
  const { messages } = await api.ok('listMessages', {
    params: { chat_id: id },
    query: { after_id: 0, limit: 50 },
  });
  const linked = messages.find(({ content }) => JSON.stringify(content).includes('Question 40'));
  await page.goto(`${site.url}/chats/${id}?message=${linked?.id}`);
  const question = page.getByRole('article').filter({ hasText: 'Question 40' });
  await expect.poll(() => question.isVisible(), { timeout: 20_000 }).toBe(true);
  await settled(page);
  await timeline(page).hover();
  await page.mouse.wheel(0, 900);
  await settled(page);
  const place = () =>
    page.evaluate(() => {
      const seen = document.querySelector('[data-timeline]')!.getBoundingClientRect();
      const row = Array.from(document.querySelectorAll('[data-key]')).find(
        (candidate) => candidate.getBoundingClientRect().bottom > seen.top + 40,
      );
      return { key: row?.getAttribute('data-key'), top: row!.getBoundingClientRect().top };
    });
  const before = await place();
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.goBack();
  await timeline(page).waitFor();
  const isBack = async () => {
    const { key, top } = await place();
    return key === before.key && Math.abs(top - before.top) <= 2;
  };
  await expect.poll(isBack, { timeout: 20_000 }).toBe(true);
});

const DOCUMENT = `> [!WARNING]
> Do **not** unplug it.

<details>
<summary>The *log*</summary>

\`\`\`txt
line one
\`\`\`

</details>

It works.[^why]

| Configuration | Documentation | Implementation | Authentication | Internationalization |
| --- | --- | --- | --- | --- |
| one | two | three | four | five |

\`\`\`mermaid
flowchart LR
${'  %% Longer than one piece of code\n'.repeat(70)}  A[Start] --> B{Is it?}
\`\`\`

\`\`\`mermaid
no diagram at all
\`\`\`

[^why]: Because it was tested.
`;

test('alerts, details, footnotes, diagrams and wide tables are rendered', async () => {
  const { page, api } = await site.visit('/', { viewport: { width: 390, height: 2000 } });
  const story = [said('user', 'Document it'), said('assistant', DOCUMENT)];
  const id = await storeChat(site.server.store, api, site.modelConfigId, story);
  await page.goto(`${site.url}/chats/${id}`);
  await page.getByRole('note').getByText('Do not unplug it.').waitFor();
  expect(await page.getByRole('note').innerText()).toMatch(/^Warning/);
  const details = page.getByRole('button', { name: 'The log', expanded: false });
  await details.click();
  await page.getByText('line one').waitFor();
  await page.getByRole('button', { name: 'Footnote why' }).click();
  await page.getByText('Because it was tested.').waitFor();
  // Every word is on one line.
  const lines = await page.locator('.md th').evaluateAll((cells) =>
    cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    }),
  );
  expect(lines).toEqual([1, 1, 1, 1, 1]);
  // The frame of the invalid diagram is then gone.
  await page.getByText(/^The diagram is invalid/).waitFor();
  const frame = page.locator('iframe[title="Diagram"]');
  await frame.contentFrame().getByText('Is it?').waitFor();
  const handle = await frame.elementHandle();
  expect(await (await handle?.contentFrame())?.evaluate(() => self.origin)).toBe('null');
  expect(await frame.count()).toBe(1);
  expect(await seriousIssues(page)).toEqual([]);
});

test('an error shows the message of the provider, and advice that fits', async () => {
  answers.push(fault.unknownModel());
  const { page } = await site.visit('/', { role: 'admin' });
  await send(page, 'Hello?');
  const card = page.locator('[data-error-kind="config"]');
  await card.getByRole('figure').getByText(/model/).waitFor();
  await card.getByRole('button', { name: 'Open models' }).waitFor();
  expect(await card.getByRole('button', { name: 'Summarize history' }).count()).toBe(0);
  answers.push(fault.contextTooLong(), answer([text('A summary.')]), fault.contextTooLong());
  await send(page, 'And now?');
  await page
    .locator('[data-error-kind="context_length"]')
    .getByRole('button', { name: 'Summarize history' })
    .waitFor();
});

test('an interrupted answer asks for a message only while it is the last one', async () => {
  const cut = { ...said('assistant', 'Half of'), meta: { finish_reason: 'interrupted' } };
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    said('user', 'Begin'),
    cut,
    said('user', 'Again'),
    cut,
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await page.getByText('Interrupted. Send a message to continue.', { exact: true }).waitFor();
  await page.getByText('Interrupted.', { exact: true }).waitFor();
});
