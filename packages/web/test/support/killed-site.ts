import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ApiClient, type ServerProcess, spawnServer } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { type FakeProvider, startFakeProvider } from '@chatd/testing';
import type { Page, Response } from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { browser, newContext } from './browser.ts';

const PROGRAM = join(import.meta.dirname, 'serve-with-web-ui.ts');

/** A server with the web UI in a separate process, which tests kill. Lives as long as the test file. */
export interface KilledSite {
  readonly provider: FakeProvider;
  readonly admin: ApiClient;
  readonly url: string;
  /** How often it was killed. */
  readonly kills: number;
  /** A new user, signed in to a browser. */
  visit(path: string): Promise<{ readonly page: Page; readonly api: ApiClient }>;
  /**
   * Acts on the page, kills the server with SIGKILL as soon as the response to the request has arrived, and starts it
   * again at the same address. Returns the status of the response.
   */
  killAfter(page: Page, request: RegExp, act: () => Promise<unknown>): Promise<number>;
}

export async function openKilledSite(
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<KilledSite> {
  const [provider, { url: databaseUrl }] = await Promise.all([
    startFakeProvider({ api: 'anthropic' }),
    createTestDatabase(),
    browser(),
  ]);
  const start = (address: string): Promise<ServerProcess> =>
    spawnServer(dataDir, {
      program: PROGRAM,
      args: ['--lease-seconds', '3', '--allow-private-urls', '1', '--listen', address],
      env: {
        CHATD_DATABASE_URL: databaseUrl,
        CHATD_SECRET_KEY: 'a-key-for-tests-0123456789',
        CHATD_TEST_WEB_FOLDER: inject('webFolder'),
        ...env,
      },
    });
  let server = await start('127.0.0.1:0');
  let kills = 0;
  const { url, client: admin } = server;
  afterAll(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
    await provider.close();
  });
  const { id } = await admin.ok('createProvider', {
    body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-any-key' },
  });
  await admin.ok('createModelConfig', {
    body: {
      provider_id: id,
      model: 'claude-sonnet-4-5',
      context_limit: 200_000,
      is_default: true,
    },
  });

  return {
    provider,
    admin,
    url,
    get kills() {
      return kills;
    },
    async visit(path) {
      const body = { username: `visitor-${randomUUID()}`, role: 'member' };
      const user = await admin.ok('createUser', { body });
      const link = await admin.ok('createSignInLink', { params: { user_id: user.id } });
      const named = { name: 'test', user_id: user.id };
      const { token } = await admin.ok('createToken', { body: named });
      const page = await (await newContext()).newPage();
      await page.goto(link.url);
      await page.goto(`${url}${path}`);
      return { page, api: new ApiClient(url, { authorization: `Bearer ${token}` }) };
    },
    async killAfter(page, request, act) {
      const isIt = (response: Response) =>
        request.test(`${response.request().method()} ${new URL(response.url()).pathname}`);
      const acknowledged = page.waitForResponse(isIt).then((response) => {
        server.child.kill('SIGKILL');
        return response;
      });
      const [response] = await Promise.all([acknowledged, act()]);
      expect(await server.ended).toBe('SIGKILL');
      kills += 1;
      server = await start(new URL(url).host);
      expect(server.url).toBe(url);
      return response.status();
    },
  };
}
