import { API_PREFIX, type Route, routes } from '@chatd/protocol';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { rawRequest, startTestServer } from '@chatd/test-server';

const METRICS_TOKEN = 'test-metrics-token-0123456789';
const server = await startTestServer({ metricsToken: METRICS_TOKEN });
const { admin, anonymous, owner, url } = server;

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { description: string; content?: object }>;
}

test('the OpenAPI document is valid and describes every route', async () => {
  const { text } = await anonymous.send('GET', '/openapi.json');
  const document = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  for (const [name, route] of Object.entries<Route>(routes)) {
    const operation = document.paths[`${API_PREFIX}${route.path}`]?.[route.method];
    expect(operation?.operationId).toBe(name);
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining([...Object.keys(route.answers), '503']),
    );
  }
  const { Chat, Message, Part, Problem } = (
    document as unknown as { components: { schemas: Record<string, object> } }
  ).components.schemas;
  expect([Chat, Message, Part, Problem].every((schema) => schema !== undefined)).toBe(true);
  const list = document.paths['/api/v1/chats']?.['get'] as unknown as { parameters: object[] };
  expect(list.parameters).toContainEqual({
    in: 'query',
    name: 'limit',
    description: 'Max number of items.',
    schema: {
      type: 'integer',
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'Max number of items.',
    },
  });
  const created = document.paths['/api/v1/chats']?.['post']?.responses['400'];
  expect(created?.description).toContain('`invalid_body`');
  expect(Object.keys(created?.content ?? {})).toEqual(['application/problem+json']);
});

test('idle connections stay open for longer than reverse proxies keep them', async () => {
  const { headers } = await anonymous.send('GET', '/healthz');
  const [, seconds] = /^timeout=([0-9]+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});

test('the API browser is self-hosted and loads nothing from other origins', async () => {
  const index = await anonymous.send('GET', '/docs');
  expect(index.status).toBe(200);
  const csp = index.headers.get('content-security-policy') ?? '';
  expect(csp).toContain(`script-src 'self'`);
  expect(csp).not.toMatch(/unsafe|https?:/);
  const files = [...index.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(files).toHaveLength(4);
  for (const file of files) {
    expect(file).toMatch(/^\/docs\/[\w.-]+$/);
    expect((await anonymous.send('GET', file)).status, file).toBe(200);
  }
  expect(index.text).not.toMatch(/<script>|style=|onload/);
  for (const path of ['/docs/package.json', '/docs/..%2f..%2fpackage.json', '/docs/constructor']) {
    expect((await anonymous.send('GET', path)).status, path).toBe(404);
  }
});

test('health checks respond on any host name', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const { status } = await rawRequest(url, { path, headers: { host: '10.1.2.3:7717' } });
    expect(status, path).toBe(200);
  }
  const { status } = await rawRequest(url, { path: '/docs', headers: { host: '10.1.2.3' } });
  expect(status).toBe(421);
});

test('metrics require an admin or a token with the metrics scope', async () => {
  expect((await anonymous.send('GET', '/metrics')).status).toBe(401);
  expect((await owner.send('GET', '/metrics')).status).toBe(403);
  const { token: scraping } = await owner.ok('createToken', {
    body: { name: 'prometheus', scopes: ['metrics'] },
  });
  const { token: reading } = await admin.ok('createToken', {
    body: { name: 'r', scopes: ['read'] },
  });
  expect((await server.as(reading).send('GET', '/metrics')).status).toBe(403);
  expect((await server.as(scraping).send('GET', '/metrics')).status).toBe(200);
  expect((await admin.send('GET', '/metrics')).status).toBe(200);
});

test('the metrics token reads metrics on any host name, and nothing else', async () => {
  const scraping = server.as(METRICS_TOKEN);
  expect((await scraping.send('GET', '/metrics')).status).toBe(200);
  expect(await scraping.refusal('getMe')).toBe('401 unauthenticated');
  expect(await scraping.refusal('listChats')).toBe('401 unauthenticated');
  for (const token of [METRICS_TOKEN.slice(1), `${METRICS_TOKEN}0`, METRICS_TOKEN.toUpperCase()]) {
    expect((await server.as(token).send('GET', '/metrics')).status, token).toBe(401);
  }
  for (const [scheme, expected] of [
    ['Bearer', 200],
    ['Basic', 401],
  ] as const) {
    const headers = { host: '10.1.2.3:7717', authorization: `${scheme} ${METRICS_TOKEN}` };
    const { status } = await rawRequest(url, { path: '/metrics', headers });
    expect(status, scheme).toBe(expected);
  }
});

test('metrics count requests, transitions, refusals, and chats', async () => {
  await owner.ok('createChat', { body: { content: 'x' } });
  await owner.refusal('createChat', { body: { content: '' } });
  // Values that the database does not return within a second are omitted.
  const text = await eventually(async () => {
    const { text, headers } = await admin.send('GET', '/metrics');
    expect(headers.get('content-type')).toContain('text/plain');
    for (const line of [
      /^chatd_http_request_duration_seconds_count\{route="\/chats",method="POST",status="201"\} 1$/m,
      /^chatd_chat_transitions_total\{command="create"\} 1$/m,
      /^chatd_refusals_total\{code="invalid_body"\} 1$/m,
      /^chatd_chats\{status="running"\} \d+$/m,
      /^chatd_database_up 1$/m,
      /^chatd_database_connections\{kind="idle"\} \d+$/m,
      /^chatd_event_loop_delay_seconds\{kind="p99"\} [\d.e-]+$/m,
      /^chatd_process_cpu_seconds_total /m,
    ]) {
      expect(text).toMatch(line);
    }
    return text;
  });
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test('an unexpected error is logged, and its details are not sent', async () => {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query('ALTER TABLE settings RENAME TO hidden_settings');
  try {
    const reply = await admin.send('GET', '/api/v1/settings');
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text)).toMatchObject({ code: 'internal' });
    expect(reply.text).not.toContain('settings');
    const id = reply.headers.get('x-request-id') ?? '';
    const line = server.logged.find((entry) => entry.includes(id));
    expect(line).toContain('relation \\"settings\\" does not exist');
  } finally {
    await client.query('ALTER TABLE hidden_settings RENAME TO settings');
    await client.end();
  }
});

test('every response forbids framing, sniffing, and caching', async () => {
  for (const path of ['/', '/docs', '/openapi.json', '/healthz', '/api/v1/users/me', '/nothing']) {
    const { headers } = await anonymous.send('GET', path);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect(headers.get('content-security-policy'), path).toContain(`frame-ancestors 'none'`);
    expect(headers.get('cache-control'), path).toBe('no-store');
    expect(headers.get('access-control-allow-origin'), path).toBeNull();
  }
});

test('a malformed request gets a problem response', async () => {
  const { status, text } = await rawRequest(url, { path: '/a\\b', headers: {} });
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ code: 'invalid_request' });
});
