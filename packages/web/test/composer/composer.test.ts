import { expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { converse, messagesOf, queueOf, textOf } from './conversation.ts';
import { answered, begin, box, chatIdOf, give, hasFocus, queue, say } from './pages.ts';

const site = await openSite();
const talk = converse(site.provider);
const { providers } = await site.server.admin.ok('listProviders');
await site.server.admin.ok('createModelConfig', {
  body: {
    provider_id: providers.find(({ name }) => name === 'Fake')!.id,
    model: 'claude-opus-4-5',
    display_name: 'Opus',
    context_limit: 200_000,
    reasoning_effort: { default: 'low', max: 'medium' },
  },
});

test('a new chat starts with the selected model, effort and plan mode', async () => {
  const { page, api } = await site.visit('/');
  await page.getByRole('button', { name: /^Model: / }).click();
  await page.getByRole('menuitemradio', { name: /^Opus/ }).click();
  // The focus returns to the composer, which would close a menu opened by then.
  await hasFocus(box(page));
  await page.getByRole('button', { name: /^Model: Opus/ }).click();
  const medium = page.getByRole('menuitemradio', { name: 'Medium' });
  await medium.waitFor();
  expect(await page.getByRole('menuitemradio', { name: 'High' }).count()).toBe(0);
  await medium.click();
  await hasFocus(box(page));
  await page.getByRole('button', { name: 'Plan mode' }).click();
  expect(await seriousIssues(page)).toEqual([]);
  const chat = await api.ok('getChat', { params: { chat_id: await begin(page, 'Plan it') } });
  expect(chat).toMatchObject({ plan_mode: true, reasoning_effort: 'medium' });
  expect(textOf((await messagesOf(api, chat.id))[0]!)).toBe('Plan it');

  await page.getByRole('button', { name: 'Plan mode' }).click();
  await eventually(async () =>
    expect(await api.ok('getChat', { params: { chat_id: chat.id } })).toMatchObject({
      plan_mode: false,
    }),
  );
  // The next chat remembers the model.
  await page.goto(site.url);
  await page.getByRole('button', { name: /^Model: Opus/ }).waitFor();
});

test('a project has its own model, whatever the last chat used', async () => {
  const { page, api } = await site.visit('/');
  await api.ok('createProject', { body: { name: 'Shop', model_config_id: site.modelConfigId } });
  await page.reload();
  await page.getByRole('button', { name: /^Model: / }).click();
  await page.getByRole('menuitemradio', { name: /^Opus/ }).click();
  await hasFocus(box(page));
  await begin(page, 'With Opus');
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByRole('button', { name: /^Model: Opus/ }).waitFor();
  await page.getByRole('button', { name: 'Project: No project' }).click();
  await page.getByRole('menuitemradio', { name: 'Shop' }).click();
  await page.getByRole('button', { name: /^Model: Sonnet/ }).waitFor();
});

test('a chat starts without a project that was deleted meanwhile', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await api.ok('createProject', { body: { name: 'Shop' } });
  await page.goto(`${site.url}/?project=${id}`);
  await page.getByRole('button', { name: 'Project: Shop' }).waitFor();
  await api.ok('deleteProject', { params: { project_id: id } });
  await say(page, 'Hello');
  const alert = page
    .getByRole('alert')
    .filter({ hasText: 'The selected project no longer exists' });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL(/\/chats\//);
  expect(textOf((await messagesOf(api, chatIdOf(page)))[0]!)).toBe('Hello');
});

test('during a turn a message is queued, steers or interrupts, and Esc twice stops', async () => {
  const held = talk.stall('Work');
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Work');
  await held.reached;
  await page.getByRole('button', { name: 'Queue', exact: true }).waitFor();
  await box(page).fill('later');
  await box(page).press('Enter');
  await queue(page).getByText('later').waitFor();
  await box(page).fill('sooner');
  await box(page).press('Control+Enter');
  await queue(page).getByText('At the next step').waitFor();
  expect((await queueOf(api, chatId)).map(textOf)).toEqual(['sooner', 'later']);

  // Steering messages join the interrupting one.
  const second = talk.stall('sooner');
  await box(page).fill('now');
  await box(page).press('Control+Shift+Enter');
  await second.reached;
  expect((await messagesOf(api, chatId)).map(textOf)).toEqual([
    'Work',
    'Working on Work',
    'now',
    'sooner',
  ]);

  // An interruption cannot be stopped: wait until the page and the composer show the next turn.
  await page.getByText('Working on sooner').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  const third = talk.stall('later');
  // The first Esc counts only for a moment: this polls every frame, and what follows does not rely on it.
  const hint = page.waitForFunction(() =>
    document.body.textContent.includes('Press Esc again to stop the turn'),
  );
  await box(page).press('Escape');
  await hint;
  expect(talk.heard.at(-1)).toBe('sooner');
  await Promise.all([box(page).press('Escape'), box(page).press('Escape')]);
  await third.reached;
  third.release();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(talk.heard.slice(-2)).toEqual(['sooner', 'later']);
});

test('the queue is reordered, edited, promoted and emptied by keyboard', async () => {
  const held = talk.stall('Dig');
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Dig');
  await held.reached;
  for (const words of ['first', 'second', 'third']) {
    await say(page, words);
    await queue(page).getByText(words).waitFor();
  }
  expect(await seriousIssues(page)).toEqual([]);
  await queue(page).getByRole('button', { name: 'Move “third”' }).press('ArrowUp');
  await eventually(async () =>
    expect((await queueOf(api, chatId)).map(textOf)).toEqual(['first', 'third', 'second']),
  );
  const row = (words: string) => queue(page).getByRole('listitem').filter({ hasText: words });
  await row('third').getByRole('button', { name: 'Edit' }).press('Enter');
  const editor = queue(page).getByRole('textbox', { name: 'Queued message' });
  await editor.fill('third, better');
  await editor.press('Enter');
  await row('third, better').waitFor();
  await hasFocus(box(page));
  await row('first').getByRole('button', { name: 'More actions' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Remove from the queue' }).press('Enter');
  await eventually(async () =>
    expect((await queueOf(api, chatId)).map(textOf)).toEqual(['third, better', 'second']),
  );
  await hasFocus(box(page));
  await row('second').getByRole('button', { name: 'Send now' }).press('Enter');
  await eventually(() => expect(talk.heard).toContain('third, better'));
  const words = talk.heard.filter((heard) => /^(?:second|third)/.test(heard));
  expect(words).toEqual(['second', 'third, better']);
});

test('a message whose response was lost is sent again, and arrives once', async () => {
  const { page, api } = await site.visit('/');
  const chatId = await begin(page, 'Hello');
  await answered(page, 'Hello');
  const looked = Promise.withResolvers<void>();
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    await looked.promise;
    return route.abort();
  });
  await box(page).fill('only once');
  await box(page).press('Enter');
  expect(await box(page).inputValue()).toBe('');
  looked.resolve();
  await page.waitForEvent('requestfailed', (request) => request.url().endsWith('/messages'));
  await page.unroute('**/messages');
  await page.getByText('“only once”').waitFor({ state: 'detached' });
  // A duplicate would have two answers.
  await answered(page, 'only once');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  const sent = (await messagesOf(api, chatId)).filter(({ role }) => role === 'user').map(textOf);
  expect(sent).toEqual(['Hello', 'only once']);
});

test('a draft with files survives a reload, and dropped files and long pastes are attached', async () => {
  const { page, api } = await site.visit('/');
  await hasFocus(box(page));
  await give(page, 'drop', [{ name: 'notes.md', type: 'text/markdown', content: '# Notes' }]);
  await page.getByRole('button', { name: 'Remove notes.md' }).waitFor();
  await box(page).fill('Read this');
  await give(page, 'paste', [], 'long '.repeat(2000));
  await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Remove notes.md' }).waitFor();
  await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor();
  expect(await box(page).inputValue()).toBe('Read this');
  await box(page).press('Enter');
  await page.waitForURL(/\/chats\//);
  const [message] = await messagesOf(api, chatIdOf(page));
  expect(message?.content).toMatchObject([
    { type: 'file', name: 'notes.md', media_type: 'text/markdown' },
    { type: 'file', name: 'pasted.txt', media_type: 'text/plain' },
    { type: 'text', text: 'Read this' },
  ]);
  await page.goto(site.url);
  expect(await box(page).inputValue()).toBe('');
});

test('the Enter of an IME composition does not send', async () => {
  const { page, api } = await site.visit('/');
  await hasFocus(box(page));
  const session = await page.context().newCDPSession(page);
  const compose = (text: string) =>
    session.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });
  await compose('に');
  await compose('にほん');
  await box(page).evaluate((field) => {
    const composing = { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true };
    field.dispatchEvent(new KeyboardEvent('keydown', { ...composing, isComposing: true }));
    // Safari reports it after the composition has ended.
    field.dispatchEvent(new KeyboardEvent('keydown', composing));
  });
  await session.send('Input.insertText', { text: '日本' });
  await eventually(async () => expect(await box(page).inputValue()).toBe('日本'));
  expect(new URL(page.url()).pathname).toBe('/');
  await box(page).press('Enter');
  await page.waitForURL(/\/chats\//);
  expect(textOf((await messagesOf(api, chatIdOf(page)))[0]!)).toBe('日本');
});

test('voice input writes to the draft, and is hidden without speech recognition', async () => {
  const { page } = await site.visit('/');
  await page.addInitScript(() => {
    class Recognition extends EventTarget {
      start() {
        Object.assign(window, { heard: this });
      }
      stop() {
        this.dispatchEvent(new Event('end'));
      }
    }
    Object.assign(window, { SpeechRecognition: Recognition });
  });
  await page.reload();
  await box(page).fill('Please');
  const button = page.getByRole('button', { name: 'Voice input' });
  await button.click();
  const hear = (transcript: string, isFinal: boolean) =>
    page.evaluate(
      (result) => {
        const { heard } = window as unknown as { heard: EventTarget };
        const results = [Object.assign([{ transcript: result.transcript }], result)];
        heard.dispatchEvent(Object.assign(new Event('result'), { resultIndex: 0, results }));
      },
      { transcript, isFinal },
    );
  await hear('fix', false);
  await hear('fix the tests', true);
  expect(await box(page).inputValue()).toBe('Please fix the tests');
  expect(await button.getAttribute('aria-pressed')).toBe('true');
  await button.click();
  expect(await button.getAttribute('aria-pressed')).toBe('false');

  await page.addInitScript(() => {
    Object.assign(window, { SpeechRecognition: undefined, webkitSpeechRecognition: undefined });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Attach files' }).waitFor();
  expect(await button.count()).toBe(0);
});
