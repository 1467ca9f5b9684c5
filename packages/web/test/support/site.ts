import { type FakeProvider, startFakeProvider } from '@chatd/testing';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, expect, inject, onTestFinished } from 'vitest';
import type { Config } from '../../../server/src/config.ts';
import { type ApiClient, startTestServer, type TestServer } from '@chatd/test-server';
import { browser, newContext } from './browser.ts';

export interface Person {
  readonly page: Page;
  /** The same user through the API. */
  readonly api: ApiClient;
}

export interface Site {
  readonly server: TestServer;
  readonly url: string;
  /** Answers with what the test queues. The default model of every chat. */
  readonly provider: FakeProvider;
  readonly modelConfigId: string;
  /** A new signed-in user in a separate browser context at this path. */
  visit(path: string, options?: VisitOptions): Promise<Person>;
}

export interface VisitOptions extends BrowserContextOptions {
  readonly role?: 'admin' | 'member';
  /** A generated name by default. */
  readonly username?: string;
  /** The page shows content that fails on purpose. */
  readonly hostile?: boolean;
}

/** A real server with the built web UI and a fake model provider. Lives as long as the test file. */
export async function openSite(over: Partial<Config> = {}): Promise<Site> {
  // Started here, so that its start does not count for the first test.
  const [provider] = await Promise.all([startFakeProvider({ api: 'anthropic' }), browser()]);
  afterAll(() => provider.close());
  const server = await startTestServer(
    { concurrency: 8, allowPrivateUrls: true, secretKey: 'a-key-for-tests-0123456789', ...over },
    { webFolder: inject('webFolder') },
  );
  const { id } = await server.admin.ok('createProvider', {
    body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-any-key' },
  });
  const { id: modelConfigId } = await server.admin.ok('createModelConfig', {
    body: {
      provider_id: id,
      model: 'claude-sonnet-4-5',
      display_name: 'Sonnet',
      context_limit: 200_000,
      is_default: true,
    },
  });
  let visitors = 0;

  return {
    server,
    url: server.url,
    provider,
    modelConfigId,
    async visit(path, { role = 'member', username, hostile = false, ...options } = {}) {
      visitors += 1;
      const body = { username: username ?? `visitor-${visitors}`, role };
      const user = await server.admin.ok('createUser', { body });
      const link = await server.admin.ok('createSignInLink', { params: { user_id: user.id } });
      const { token } = await server.admin.ok('createToken', {
        body: { name: 'test', user_id: user.id },
      });
      const context = await newContext(options);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        // Includes Content-Security-Policy violations. Refused calls and connections are not faults.
        if (
          message.type() === 'error' &&
          !/Failed to load resource|^WebSocket connection to/.test(message.text())
        ) {
          errors.push(message.text());
        }
      });
      if (!hostile) onTestFinished(() => expect(errors, 'errors on the page').toEqual([]));
      await page.goto(link.url);
      if (path !== '/') await page.goto(`${server.url}${path}`);
      return { page, api: server.as(token) };
    },
  };
}
