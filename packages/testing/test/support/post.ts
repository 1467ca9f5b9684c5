import type { Api, FakeProvider, InProcessProvider } from '../../src/index.ts';

const BEARER = { authorization: 'Bearer a key' };

/** The path and headers of a request. */
const ENDPOINTS: Record<Api, [path: string, headers: Record<string, string>]> = {
  anthropic: ['/messages', { 'x-api-key': 'a key', 'anthropic-version': '2023-06-01' }],
  'openai-responses': ['/responses', BEARER],
  'openai-chat': ['/chat/completions', BEARER],
  'openai-compatible': ['/chat/completions', {}],
  'azure-responses': ['/responses', { 'api-key': 'a key' }],
  'azure-chat': ['/chat/completions', { 'api-key': 'a key' }],
  google: [
    '/models/gemini-3-pro-preview:streamGenerateContent?alt=sse',
    { 'x-goog-api-key': 'a key' },
  ],
  bedrock: ['/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream', BEARER],
  openrouter: ['/chat/completions', BEARER],
  gateway: [
    '/language-model',
    {
      ...BEARER,
      'ai-gateway-auth-method': 'api-key',
      'ai-language-model-specification-version': '4',
      'ai-language-model-id': 'anthropic/claude-sonnet-4.5',
      'ai-language-model-streaming': 'true',
    },
  ],
};

/** Sends a body unchanged, without the corrections of a provider package. */
export async function post(
  provider: FakeProvider | InProcessProvider,
  body: unknown,
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown }> {
  const [defaultPath, own] = ENDPOINTS[provider.api];
  const { path = defaultPath, headers = own } = options;
  const send = 'fetch' in provider ? provider.fetch : fetch;
  const response = await send(`${provider.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}
