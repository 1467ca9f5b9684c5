import { ProviderError } from '@chatd/loop';
import { afterEach, expect, test, vi } from 'vitest';
import type { ProviderAccess } from './access.ts';
import { buildModel } from './build-model.ts';

const KEYS = {
  ANTHROPIC_API_KEY: 'environment-key',
  ANTHROPIC_BASE_URL: 'https://environment.example',
  OPENAI_API_KEY: 'environment-key',
  OPENAI_BASE_URL: 'https://environment.example',
  GOOGLE_GENERATIVE_AI_API_KEY: 'environment-key',
  AZURE_API_KEY: 'environment-key',
  AZURE_RESOURCE_NAME: 'environment',
  AWS_BEARER_TOKEN_BEDROCK: 'environment-key',
  AWS_ACCESS_KEY_ID: 'environment-key',
  AWS_SECRET_ACCESS_KEY: 'environment-key',
  AWS_SESSION_TOKEN: 'environment-key',
  AWS_ENDPOINT_URL: 'https://environment.example',
  OPENROUTER_API_KEY: 'environment-key',
  AI_GATEWAY_API_KEY: 'environment-key',
};
for (const [name, value] of Object.entries(KEYS)) vi.stubEnv(name, value);
afterEach(() => calls.splice(0));

interface Call {
  readonly url: string;
  readonly headers: Headers;
}
const calls: Call[] = [];
const recorded: typeof fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  calls.push({ url, headers: new Headers(init?.headers) });
  return Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 400 }));
};

const ask = async (access: ProviderAccess): Promise<Call> => {
  const model = await buildModel(access, 'some-model', recorded);
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
  await expect(model.push({ prompt }, () => undefined)).rejects.toBeInstanceOf(Error);
  return calls[0]!;
};

const GIVEN: [string, ProviderAccess, string, string][] = [
  ['anthropic', { type: 'anthropic' }, 'anthropic.messages', 'https://api.anthropic.com/v1/'],
  ['openai', { type: 'openai' }, 'openai.responses', 'https://api.openai.com/v1/responses'],
  [
    'openai over Chat Completions',
    { type: 'openai', options: { api: 'chat' } },
    'openai.chat',
    'https://api.openai.com/v1/chat/completions',
  ],
  [
    'google',
    { type: 'google' },
    'google.generative-ai',
    'https://generativelanguage.googleapis.com/v1beta/models/some-model',
  ],
  [
    'azure',
    { type: 'azure', options: { resource_name: 'mine' } },
    'azure.responses',
    'https://mine.openai.azure.com/openai/v1/responses',
  ],
  [
    'azure over Chat Completions',
    { type: 'azure', options: { resource_name: 'mine', api: 'chat' } },
    'azure.chat',
    'https://mine.openai.azure.com/openai/v1/chat/completions',
  ],
  [
    'bedrock',
    { type: 'bedrock', options: { region: 'eu-central-1' } },
    'amazon-bedrock',
    'https://bedrock-runtime.eu-central-1.amazonaws.com/model/some-model',
  ],
  [
    'openai-compatible',
    { type: 'openai-compatible', base_url: 'http://ollama.example/v1' },
    'openai-compatible.chat',
    'http://ollama.example/v1/chat/completions',
  ],
  ['openrouter', { type: 'openrouter' }, 'openrouter', 'https://openrouter.ai/api/v1/chat/'],
  ['vercel', { type: 'vercel' }, 'gateway', 'https://ai-gateway.vercel.sh/v4/ai/language-model'],
];

test.each(GIVEN)(
  '%s: its service is called with the given key, whatever the environment contains',
  async (_, access, provider, url) => {
    const given = { ...access, api_key: 'given-key' };
    expect((await buildModel(given, 'some-model', recorded)).provider).toContain(provider);
    const call = await ask(given);
    expect(call.url).toContain(url);
    const sent = JSON.stringify([...call.headers]);
    expect(sent).toContain('given-key');
    expect(sent).not.toContain('environment');
  },
);

test.each(GIVEN.filter(([name]) => name !== 'openai-compatible'))(
  '%s without a key is not called, even if the environment has one',
  async (_, access) => {
    await expect(buildModel(access, 'm', recorded)).rejects.toEqual(
      expect.objectContaining({ kind: 'missing_key' }),
    );
  },
);

test('the base URL of Anthropic can omit the version', async () => {
  const access = {
    type: 'anthropic',
    api_key: 'k',
    base_url: 'https://api.anthropic.com/',
  } as const;
  expect((await ask(access)).url).toBe('https://api.anthropic.com/v1/messages');
});

test('openai-compatible requires a base URL, but no key', async () => {
  await expect(buildModel({ type: 'openai-compatible' }, 'm', recorded)).rejects.toThrow(
    ProviderError,
  );
  const { headers } = await ask({ type: 'openai-compatible', base_url: 'http://x.example/v1' });
  expect(headers.has('authorization')).toBe(false);
});

test('bedrock signs with AWS credentials if it has no API key', async () => {
  const { headers } = await ask({
    type: 'bedrock',
    access_key_id: 'AKIAGIVEN',
    secret_access_key: 'given-secret',
    session_token: 'given-token',
    options: { region: 'us-west-2' },
  });
  expect(headers.get('authorization')).toMatch(/Credential=AKIAGIVEN\/\d+\/us-west-2\/bedrock/);
  expect(headers.get('x-amz-security-token')).toBe('given-token');
});
