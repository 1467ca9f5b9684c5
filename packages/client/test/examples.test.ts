import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { createClient } from '../src/index.ts';
import { BROWSER } from './support/browser.ts';
import { poll } from './support/poll.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

// With the demo model, as in a new installation.
const server = await startTestServer({ concurrency: 8 });
const client = createClient({ url: server.url, token: ADMIN_TOKEN });

interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Runs an example as its README does, but with this server. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const child = spawn(process.execPath, ['--conditions=chatd-source', ...args], {
    cwd: ROOT,
    env: { ...process.env, CHATD_URL: server.url, CHATD_TOKEN: ADMIN_TOKEN, ...env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return { child, output: () => output };
}

describe('the chat bot', () => {
  test('answers in a pipe, with its tools, and continues a chat', { timeout: 60_000 }, async () => {
    const bot = run(['examples/chat-bot/bot.ts']);
    bot.child.stdin?.end('how is the weather in Oslo?\n');
    await once(bot.child, 'close');
    expect(bot.output()).toContain('· weather {"city":"Oslo"}');
    expect(bot.output()).toMatch(/celsius|11/);
    const [, chatId = ''] = /CHATD_CHAT=(\S+)/.exec(bot.output()) ?? [];
    expect((await client.chats.get(chatId)).status).toBe('waiting');

    const again = run(['examples/chat-bot/bot.ts'], { CHATD_CHAT: chatId });
    again.child.stdin?.end('hello\n');
    await once(again.child, 'close');
    expect(again.output()).not.toBe('');
    const { messages } = await client.chats.messages(chatId);
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });
});

describe('the page with useChat', () => {
  test(
    'shows an answer, continues one after a reload, and stops it',
    { timeout: 120_000 },
    async () => {
      const vite = run(['node_modules/vite/bin/vite.js', 'examples/react-chat', '--port', '0']);
      await poll(() => stripVTControlCharacters(vite.output())).toMatch(/http:\/\/localhost:\d+/);
      const [address = ''] =
        /http:\/\/localhost:\d+/.exec(stripVTControlCharacters(vite.output())) ?? [];
      const browser = await chromium.launch(BROWSER);
      onTestFinished(() => browser.close());
      const page = await browser.newPage();
      const errors: Error[] = [];
      page.on('pageerror', (error) => errors.push(error));
      const say = async (text: string) => {
        await page.getByRole('textbox').fill(text);
        await page.getByRole('button', { name: 'Send' }).click();
      };

      await page.goto(address, { timeout: 60_000 });
      await say('hello');
      await page.getByText('markdown').first().waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
      const chatId = new URL(page.url()).hash.slice(1);
      expect((await client.chats.get(chatId)).status).toBe('waiting');

      await say('be slow for 2 minutes');
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await page.locator('article').nth(3).getByText(/\w/).first().waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
      await page.locator('article').nth(3).getByText(/\w/).first().waitFor();
      expect(await page.locator('article').count()).toBe(4);
      // Stop must not send the draft.
      await page.getByRole('textbox').fill('a draft');
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Send' }).waitFor();
      expect(await page.getByRole('textbox').inputValue()).toBe('a draft');
      await poll(async () => (await client.chats.get(chatId)).status).toBe('waiting');
      const { messages } = await client.chats.messages(chatId);
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
      expect(errors).toEqual([]);
    },
  );
});
