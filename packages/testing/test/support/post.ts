import type { Api, FakeProvider } from '../../src/index.ts';

const PATHS: Record<Api, string> = {
  anthropic: '/messages',
  'openai-responses': '/responses',
  'openai-chat': '/chat/completions',
  google: '/models/gemini-3-pro-preview:streamGenerateContent?alt=sse',
};

const KEYS: Record<Api, Record<string, string>> = {
  anthropic: { 'x-api-key': 'a key', 'anthropic-version': '2023-06-01' },
  'openai-responses': { authorization: 'Bearer a key' },
  'openai-chat': { authorization: 'Bearer a key' },
  google: { 'x-goog-api-key': 'a key' },
};

/** Sends a body as it is, past everything that a provider package would put right. */
export async function post(
  provider: FakeProvider,
  body: unknown,
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown }> {
  const { path = PATHS[provider.api], headers = KEYS[provider.api] } = options;
  const response = await fetch(`${provider.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}
