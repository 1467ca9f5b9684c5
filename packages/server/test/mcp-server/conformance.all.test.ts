import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
const MAIN = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

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

/** Scenarios that chatd passes, at the revisions that they exist for. */
const PASSED = new Set([
  'server-initialize',
  'server-session-lifecycle',
  'ping',
  'tools-list',
  'resources-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'sep-2164-resource-not-found',
  'http-header-validation',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
]);

/** Scenarios in which chatd fails only these checks. */
const PARTLY: Readonly<Record<string, readonly string[]>> = {
  'server-stateless': [
    // These call tools of a server made for the suite.
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
    // chatd has no subscriptions: their streams would bypass the limits.
    'sep-2575-server-sends-subscription-ack',
    'sep-2575-server-tags-subscription-id',
  ],
  // chatd has no prompts.
  caching: ['sep-2549-prompts-list-caching-hints'],
};

/** Scenarios that chatd cannot pass, by reason. */
const IMPOSSIBLE = {
  'they call tools of a server made for the suite': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'json-schema-2020-12',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'http-custom-header-server-validation',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
  ],
  'they read resources of a server made for the suite': [
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
  ],
  'chatd has no prompts, completions, log messages, or subscriptions to resources': [
    'completion-complete',
    'logging-set-level',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
};

interface Check {
  readonly id: string;
  readonly status: string;
}

/** The checks of each scenario that have passed or failed. */
async function checksOf(revision: string): Promise<Map<string, readonly Check[]>> {
  const cwd = await makeTemporaryDirectory();
  const url = `http://127.0.0.1:${port}/mcp`;
  const how = ['--suite', 'all', '--spec-version', revision, '-o', cwd];
  const run = promisify(execFile)(process.execPath, [MAIN, 'server', '--url', url, ...how], {
    cwd,
  });
  // The suite fails if a scenario fails.
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  process.stdout.write(stdout.slice(stdout.indexOf('=== SUMMARY')));
  const scenarios = new Map<string, readonly Check[]>();
  for (const folder of await readdir(cwd)) {
    const [, name] = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(folder) ?? [];
    if (name === undefined) continue;
    const checks = JSON.parse(await readFile(join(cwd, folder, 'checks.json'), 'utf8')) as Check[];
    scenarios.set(
      name,
      checks.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE'),
    );
  }
  return scenarios;
}

const failedIn = (checks: readonly Check[]) =>
  checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id);

/** The result of the suite, stored next to this file. The guide states its counts. */
function report(scenarios: ReadonlyMap<string, readonly Check[]>): string {
  const rows = [...scenarios].toSorted(([one], [other]) => one.localeCompare(other));
  const outcomeOf = (checks: readonly Check[]) =>
    checks.length === 0 ? 'skipped' : failedIn(checks).length === 0 ? 'passed' : 'failed';
  const count = (outcome: string) =>
    rows.filter(([, checks]) => outcomeOf(checks) === outcome).length;
  const all = rows.flatMap(([, checks]) => checks);
  return [
    `${count('passed')} of ${rows.length} scenarios passed, ${count('skipped')} skipped`,
    `${all.length - failedIn(all).length} of ${all.length} checks passed`,
    ...rows.map(([name, checks]) => {
      const passed = checks.length - failedIn(checks).length;
      return `${outcomeOf(checks)} ${passed}/${checks.length} ${name}`;
    }),
    '',
  ].join('\n');
}

test.each([
  ['2025-11-25', 33],
  ['2026-07-28', 40],
])(
  'the conformance suite passes at %s, except for scenarios that chatd cannot pass',
  async (revision, count) => {
    const scenarios = await checksOf(revision);
    expect(scenarios.size).toBe(count);
    const impossible = new Set(Object.values(IMPOSSIBLE).flat());
    for (const [name, all] of scenarios) {
      const checks = failedIn(all);
      if (impossible.has(name)) expect(checks, name).not.toEqual([]);
      else expect([name, checks]).toEqual([name, PARTLY[name] ?? []]);
      const isKnown = PASSED.has(name) || name in PARTLY || impossible.has(name);
      expect([name, isKnown]).toEqual([name, true]);
    }
    const result = report(scenarios);
    await expect(result).toMatchFileSnapshot(`conformance-${revision}.txt`);
    const guide = await readFile(join(ROOT, 'docs/guides/mcp-clients.md'), 'utf8');
    const [scenarioCount, checkCount] = result.split('\n');
    expect(guide).toContain(`${revision}: ${scenarioCount}, ${checkCount}`);
  },
  120_000,
);
