import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { eventually } from '@chatd/test-server/eventually';
import { answer, text, toolCall } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openSite } from '../support/site.ts';
import { script, send, timeline } from '../timeline/conversation.ts';
import { PROTOCOLS } from './clients.ts';

const site = await openSite({
  dataDir: await makeTemporaryDirectory(),
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const { answers } = script(site.provider);

const said = (page: Page, words: string) =>
  timeline(page).getByText(words, { exact: true }).waitFor();

/** A user whose calls of `list_templates` wait for an approval. */
async function visit() {
  const person = await site.visit('/');
  const approvals = [{ pattern: 'list_templates', action: 'ask' as const }];
  await person.api.ok('updateApprovals', { body: { approvals } });
  return { ...person, account: { url: site.url, headers: person.api.headers } };
}

describe.each(Object.entries(PROTOCOLS))('a chat of %s', (_, connect) => {
  test('continues in the web UI, where the user allows its call, and then in the client again', async () => {
    const { page, account } = await visit();
    const client = await connect(account);
    answers.push(
      answer([toolCall('list_templates', {})]),
      answer([text('There is one template.')]),
      answer([text('Hello, browser.')]),
      answer([text('Hello, client.')]),
    );
    const chatId = await client.begin('Which templates are there?');
    await page.goto(`${site.url}/chats/${chatId}`);
    await said(page, 'Which templates are there?');
    await page.getByText('Wants to list templates').waitFor();
    await page.getByRole('button', { name: 'Allow call' }).click();
    await page.getByText('Listed templates').waitFor();
    await said(page, 'There is one template.');
    await send(page, 'I am in the browser.');
    await said(page, 'Hello, browser.');
    expect(await client.send(chatId, 'I am back.')).toBe('Hello, client.');
    await said(page, 'I am back.');
    await said(page, 'Hello, client.');
  });

  test('that was started in the web UI continues in the client, which allows its call', async () => {
    const { page, account, api } = await visit();
    answers.push(
      answer([toolCall('list_templates', {})]),
      answer([text('There is one template.')]),
      answer([text('Hello, client.')]),
    );
    await send(page, 'Which templates are there?');
    await page.getByText('Wants to list templates').waitFor();
    const chatId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const client = await connect(account);
    // MCP leaves approvals to the user.
    if (client.allow === undefined) await page.getByRole('button', { name: 'Allow call' }).click();
    else expect(await client.allow(chatId)).toBe('There is one template.');
    await page.getByText('Listed templates').waitFor();
    await said(page, 'There is one template.');
    await eventually(async () =>
      expect(await api.ok('getChat', { params: { chat_id: chatId } })).toMatchObject({
        status: 'waiting',
      }),
    );
    expect(await client.send(chatId, 'I am a client.')).toBe('Hello, client.');
    await said(page, 'Hello, client.');
  });
});
