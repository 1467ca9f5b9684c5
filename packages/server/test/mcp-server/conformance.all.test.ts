import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { afterAll, expect, test } from 'vitest';

const MAIN = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
);

const server = await startTestServer();

/** The suite cannot send a token, so a proxy adds it. */
const proxy = createServer((incoming, outgoing) => {
  const { method, url = '/', headers } = incoming;
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const forwarded = request(
    new URL(url, server.url),
    { method: method ?? 'GET', headers: { ...headers, authorization } },
    (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    },
  );
  incoming.pipe(forwarded);
});
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');
afterAll(() => void proxy.close());
const { port } = proxy.address() as AddressInfo;

/** Scenarios of the official suite for servers. The others call tools and prompts of a server made for the suite. */
test.each(['server-initialize', 'ping', 'tools-list', 'resources-list'])(
  'the conformance suite passes: %s',
  async (scenario) => {
    const cwd = await makeTemporaryDirectory();
    const args = [MAIN, 'server', '--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
    expect(stdout).toMatch(/Passed: [1-9]\d*\/[1-9]\d*, 0 failed/);
  },
  60_000,
);
