import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { EXIT } from '../src/exit-codes.ts';
import { hasBrowser } from '../src/access/open-browser.ts';
import { launch } from './support/command.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const { client, url } = await startServer();

/** A home directory, with a browser that only records the address. */
async function newHome() {
  const folder = await makeTemporaryDirectory();
  const opened = join(folder, 'opened');
  const opener = join(folder, 'bin', 'xdg-open');
  await mkdir(join(folder, 'bin'));
  await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`);
  await chmod(opener, 0o755);
  const env = {
    XDG_CONFIG_HOME: folder,
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
  };
  const address = () => eventually(async () => new URL(await readFile(opened, 'utf8')));
  const savedToken = async () =>
    (JSON.parse(await readFile(join(folder, 'chatd', 'login.json'), 'utf8')) as { token: string })
      .token;
  return { env, address, savedToken };
}

test('through the browser: the command gets a token with the code that the browser passes on', async () => {
  const { env, address, savedToken } = await newHome();
  const { ended } = launch(['login', url, '--browser'], env);
  const page = await address();
  expect(page.href.startsWith(`${url}/cli-login?`)).toBe(true);
  const { port, challenge, state, name } = Object.fromEntries(page.searchParams);
  const loopback = `http://127.0.0.1:${port}/`;
  // Another page that guesses the port.
  expect((await fetch(`${loopback}?code=x&state=guessed`)).status).toBe(400);
  const { code } = await client.call('createCliLoginCode', {
    body: { challenge: challenge ?? '', name: name ?? '' },
  });
  const answer = await fetch(`${loopback}?code=${code}&state=${state}`);
  expect(await answer.text()).toContain('You are signed in');
  const { code: exit, stderr } = await ended;
  expect([exit, stderr]).toEqual([EXIT.ok, expect.stringContaining('as admin (admin)')]);
  const { tokens } = await client.call('listTokens');
  expect(tokens.map((token) => token.name)).toContain(name);
  expect(await savedToken()).toMatch(/^chatd_/);
});

test('a canceled login ends the command', async () => {
  const { env, address } = await newHome();
  const { ended } = launch(['login', url, '--browser'], env);
  const { port, state } = Object.fromEntries((await address()).searchParams);
  await fetch(`http://127.0.0.1:${port}/?error=denied&state=${state}`);
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([EXIT.refused, expect.stringContaining('was canceled')]);
});

test('without a browser: the command shows a code and waits for the approval', async () => {
  const { env } = await newHome();
  const { ended, output, said } = launch(['login', url, '--no-browser'], env);
  await said('enter the code');
  const [, userCode = ''] = /enter the code (\S+)/.exec(output().stderr) ?? [];
  expect(output().stderr).toContain(`Open ${url}/cli-login`);
  await client.call('approveCliLogin', { body: { user_code: userCode } });
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([EXIT.ok, expect.stringContaining('as admin (admin)')]);
});

test('a browser is available with a display, but not over SSH', () => {
  expect(hasBrowser({ DISPLAY: ':0' }, 'linux')).toBe(true);
  expect(hasBrowser({ DISPLAY: '' }, 'linux')).toBe(false);
  expect(hasBrowser({}, 'darwin')).toBe(true);
  expect(hasBrowser({ DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 'linux')).toBe(
    false,
  );
});
