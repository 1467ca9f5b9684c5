import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { answer, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startOfferingProvider } from '../settings/offering-provider.ts';
import { newContext } from '../support/browser.ts';
import { clicksOn } from './clicks.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const KEY = 'sk-ant-a-key-for-the-first-answer';

/** Runs `npm start` on an empty data directory, and opens the printed link. */
async function start(): Promise<Page> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHATD_'));
  const options = ['--data-dir', await makeTemporaryDirectory(), '--listen', '127.0.0.1:0'];
  const child = spawn('npm', ['start', '--', ...options], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), CHATD_ALLOW_PRIVATE_URLS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => end(child));
  const url = await signInUrl(child);
  const page = await (await newContext()).newPage();
  await page.goto(url);
  return page;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function signInUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('npm start has no output.');
  for await (const line of createInterface(stdout)) {
    const [, url] = /sign in: (\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    stdout.resume();
    return url;
  }
  throw new Error('npm start ended without a link.');
}

const said = (page: Page, words: string) =>
  page.getByRole('log', { name: 'Messages' }).getByText(words).first().waitFor();

// Opening the link is the first of the three clicks.
test('from npm start, without a key, the first answer takes one more click', async () => {
  const page = await start();
  const clicks = await clicksOn(page);
  await page.getByRole('button', { name: /^Show me markdown/ }).click();
  await said(page, 'And a formula for good measure');
  expect(await clicks()).toBe(1);
});

test('from npm start, with a key, the first answer takes two more clicks', async () => {
  const offering = await startOfferingProvider(KEY);
  offering.provider.answerWith(() => answer([text('A real answer.')]));
  const page = await start();
  // The address of the real service is not known to the page.
  await page.route('**/api/v1/providers', async (route) => {
    const body = route.request().postDataJSON() as object | null;
    await route.continue(
      body === null ? {} : { postData: JSON.stringify({ ...body, base_url: offering.url }) },
    );
  });
  const clicks = await clicksOn(page);
  await page.getByLabel('API key or server URL').click();
  await page.keyboard.insertText(KEY);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Claude Haiku 4.5 is ready').waitFor();
  // The message field has the focus.
  await page.keyboard.type('Hello');
  await page.keyboard.press('Enter');
  await said(page, 'A real answer.');
  expect(await clicks()).toBe(2);
  expect(offering.provider.rejected).toEqual([]);
});
