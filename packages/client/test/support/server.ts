import { type FakeProvider, startFakeProvider } from '@chatd/testing';
import { afterAll } from 'vitest';
import type { StartOptions } from '../../../server/src/startup/start-options.ts';
import type { Config } from '../../../server/src/config.ts';
import { ADMIN_TOKEN, startTestServer, type TestServer } from '@chatd/test-server';
import { type Client, type ClientOptions, createClient } from '../../src/index.ts';

export interface TestSetup {
  readonly server: TestServer;
  /** The client of an admin. The default model has scripted answers. */
  readonly client: Client;
  readonly fake: FakeProvider;
  readonly token: string;
  readonly clientOf: (options?: ClientOptions) => Client;
}

/** A real server with a model that is faked at the HTTP level, until the test file ends. */
export async function setUp(
  over: Partial<Config> = {},
  options: Partial<StartOptions> = {},
): Promise<TestSetup> {
  const given = {
    concurrency: 64,
    allowPrivateUrls: true,
    secretKey: 'a-secret-key-for-this-test',
    ...over,
  };
  const server = await startTestServer(given, options);
  const fake = await startFakeProvider({ api: 'anthropic' });
  afterAll(() => fake.close());
  const clientOf = (options: ClientOptions = {}) =>
    createClient({ url: server.url, token: ADMIN_TOKEN, ...options });
  const client = clientOf();
  const provider = await client.providers.create({
    type: 'anthropic',
    name: 'fake',
    base_url: fake.url,
    api_key: 'sk-any-key-at-all',
  });
  await client.models.create({
    provider_id: provider.id,
    model: 'claude-sonnet-4-5',
    context_limit: 200_000,
    is_default: true,
  });
  return { server, client, fake, token: ADMIN_TOKEN, clientOf };
}

/** With a title, so that the model is not asked for one. */
export const titled = (content: string) => ({ content, title: 'A test' });
