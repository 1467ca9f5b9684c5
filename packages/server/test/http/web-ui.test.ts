import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rawRequest, startTestServer } from '@chatd/test-server';

const INDEX = '<!doctype html><title>chatd</title><script src="/assets/index-1.js"></script>';
const SCRIPT = 'console.info("hello")';

const folder = await mkdtemp(join(tmpdir(), 'chatd-web-'));
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), INDEX);
await writeFile(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
await writeFile(join(folder, 'assets', 'index-1.js'), SCRIPT);
await writeFile(join(folder, 'assets', 'index-1.js.br'), brotliCompressSync(SCRIPT));
await writeFile(join(folder, 'assets', 'notes.txt'), 'not of a type that a page loads');

const { anonymous, url } = await startTestServer({}, { webFolder: folder });

test('every URL of the web UI returns its page, signed in or not', async () => {
  for (const path of ['/', '/chats/0198c1e0-0000-7000-8000-000000000000', '/settings/models']) {
    const reply = await anonymous.send('GET', path);
    expect([reply.status, reply.text], path).toEqual([200, INDEX]);
  }
});

const open = (path: string, accept: string) => fetch(`${url}${path}`, { headers: { accept } });

test('a browser at an unknown URL gets the page; programs, the API, and files get a problem', async () => {
  const page = await open('/no/such/page', 'text/html,application/xhtml+xml,*/*;q=0.8');
  expect([page.status, await page.text()]).toEqual([404, INDEX]);
  for (const [path, accept] of [
    ['/no/such/page', '*/*'],
    ['/api/v1/nothing', 'text/html'],
    ['/assets/nothing.js', 'text/html'],
  ] as const) {
    const reply = await open(path, accept);
    expect([reply.status, reply.headers.get('content-type')], path).toEqual([
      404,
      'application/problem+json',
    ]);
  }
});

test('the page can load only its own files', async () => {
  const { headers } = await anonymous.send('GET', '/');
  const csp = headers.get('content-security-policy') ?? '';
  expect(csp).toContain(`default-src 'none'`);
  expect(csp).toContain(`script-src 'self';`);
  // Previews of workspaces have their own origins.
  expect(csp.replace(/frame-src [^;]*;/, '')).not.toMatch(/https?:|unsafe-eval|\*/);
});

test('files with a hash in their name are cached, the page is not', async () => {
  const script = await anonymous.send('GET', '/assets/index-1.js');
  expect([script.status, script.text]).toEqual([200, SCRIPT]);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('cache-control')).toContain('immutable');
  const page = await anonymous.send('GET', '/');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect((await anonymous.send('GET', '/icon.svg')).headers.get('content-type')).toBe(
    'image/svg+xml',
  );
});

test('a client that accepts brotli gets the compressed file of the build', async () => {
  const response = await fetch(`${url}/assets/index-1.js`, {
    headers: { 'accept-encoding': 'gzip, br;q=1.0' },
  });
  expect(response.headers.get('content-encoding')).toBe('br');
  expect(await response.text()).toBe(SCRIPT);
  const { text } = await rawRequest(url, { path: '/assets/index-1.js', headers: {} });
  expect(text).toBe(SCRIPT);
});

test('no path leads out of the folder or to a file that is not part of the page', async () => {
  for (const path of [
    '/assets/..%2findex.html',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/notes.txt',
    '/assets/index-1.js.br',
    '/assets/constructor',
  ]) {
    expect((await anonymous.send('GET', path)).status, path).toBe(404);
  }
});

test('without a built web UI, the first page says how to build it', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'chatd-web-'));
  const server = await startTestServer({}, { webFolder: empty });
  const { status, text } = await server.anonymous.send('GET', '/');
  expect(status).toBe(200);
  expect(text).toContain('npm run build');
});
