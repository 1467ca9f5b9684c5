import { expect, test } from 'vitest';
import { eventStream } from '../stream/clients.ts';
import { ApiClient, rawRequest, startTestServer } from '@chatd/test-server';

const APP = 'https://app.example.org';
const server = await startTestServer({ allowedOrigins: [APP] });
const { owner, url } = server;

const allowOrigin = 'access-control-allow-origin';
const from = (origin: string) => ({ headers: { origin } });

const preflight = (origin: string, path = '/api/v1/chats') =>
  rawRequest(url, {
    method: 'OPTIONS',
    path,
    headers: {
      host: new URL(url).host,
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

test('a page of an allowed origin can read responses and errors, but not send cookies', async () => {
  const { headers } = await owner.call('listChats', from(APP));
  expect(headers.get(allowOrigin)).toBe(APP);
  expect(headers.get('vary')).toBe('Origin');
  expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
  expect(headers.has('access-control-allow-credentials')).toBe(false);
  const anonymous = new ApiClient(url, { origin: APP });
  const refused = await anonymous.refused('listChats');
  expect(refused.code).toBe('unauthenticated');
  expect(refused.headers.get(allowOrigin)).toBe(APP);
  await owner.ok('createChat', { ...from(APP), body: { content: 'x' } });
});

test('streams have the CORS headers too', async () => {
  const opened = await eventStream(owner, '/watch', from(APP));
  expect(opened.response.headers.get(allowOrigin)).toBe(APP);
  opened.close();
});

test('a preflight request of an allowed origin is answered without a token', async () => {
  const { status, headers, text } = await preflight(APP);
  expect([status, text]).toEqual([204, '']);
  expect(headers).toMatchObject({
    [allowOrigin]: APP,
    vary: 'Origin',
    'access-control-allow-methods': expect.stringContaining('POST') as string,
    'access-control-allow-headers': expect.stringMatching(
      /authorization.*content-type.*idempotency-key/,
    ) as string,
  });
});

test.each([
  'https://other.example.org',
  'http://app.example.org',
  'https://app.example.org:8443',
  'https://app.example.org.evil.example',
  'null',
])('a page of %s is not allowed', async (origin) => {
  expect((await owner.call('listChats', from(origin))).headers.has(allowOrigin)).toBe(false);
  const { status, headers } = await preflight(origin);
  expect(status).toBe(405);
  expect(headers).not.toHaveProperty(allowOrigin);
});

test('an allowed origin cannot sign in: sessions are for pages of chatd', async () => {
  const body = { username: 'x', password: 'y' };
  expect(await new ApiClient(url, { origin: APP }).refusal('signIn', { body })).toBe(
    '403 origin_not_allowed',
  );
});

test('the OpenAI API has the CORS headers too and accepts the headers of its clients', async () => {
  const { headers, status } = await owner.send('GET', '/v1/models', from(APP));
  expect([status, headers.get(allowOrigin)]).toEqual([200, APP]);
  const missing = await owner.send('GET', '/v1/missing', from(APP));
  expect([missing.status, missing.headers.get(allowOrigin)]).toEqual([404, APP]);
  const allowed = await preflight(APP, '/v1/responses');
  expect([allowed.status, allowed.headers[allowOrigin]]).toEqual([204, APP]);
  expect(allowed.headers['access-control-allow-headers']).toContain('x-stainless-os');
  const refused = await preflight('https://other.example.org', '/v1/responses');
  expect(refused.headers).not.toHaveProperty(allowOrigin);
});

test('paths outside the API have no CORS headers', async () => {
  const { headers } = await owner.send('GET', '/openapi.json', from(APP));
  expect(headers.has(allowOrigin)).toBe(false);
  expect((await preflight(APP, '/metrics')).status).toBe(405);
});

test('a server without the setting sends no CORS headers', async () => {
  const other = await startTestServer();
  const { headers } = await other.owner.call('listChats', from(APP));
  expect(headers.has(allowOrigin)).toBe(false);
  expect(headers.has('vary')).toBe(false);
});
