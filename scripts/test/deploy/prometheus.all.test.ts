import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../checks.ts';
import { missing } from './bare-debian.ts';
import { alertRules, dashboardQueries, DEPLOY, metricsIn } from './files.ts';
import { freePort } from './free-port.ts';

const LONG_MS = 900_000;
const TOKEN = 'test-admin-token-0123456789';
const impossible = missing('prometheus');

/*
 * Prometheus scrapes a server under load with the demo model. Every query of the dashboard must return data, and every
 * alert must use existing metrics.
 */
describe.skipIf(impossible !== undefined)(`Prometheus (${impossible ?? 'real'})`, () => {
  const processes: ChildProcess[] = [];
  const ended = new AbortController();
  let folder = '';
  let prometheus = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chatd-prometheus-'));
    await chmod(folder, 0o711);
    const chatd = await startChatd();
    const target = chatd.slice('http://'.length);
    await writeFile(
      join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [join(DEPLOY, 'prometheus/alerts.yaml')],
        scrape_configs: [
          {
            job_name: 'chatd',
            authorization: { credentials: TOKEN },
            static_configs: [{ targets: [target] }],
          },
        ],
      }),
    );
    prometheus = `http://127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'series')}`,
        `--web.listen-address=${prometheus.slice('http://'.length)}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    processes.push(child);
    await vi.waitUntil(async () => (await query('up == 1').catch(() => [])).length === 1, {
      timeout: 300_000,
      interval: 500,
    });
    // New counters start with the first scrape.
    void keepBusy(chatd);
  }, LONG_MS);

  afterAll(async () => {
    ended.abort();
    for (const child of processes.toReversed()) {
      if (child.exitCode !== null) continue;
      child.kill('SIGINT');
      await once(child, 'close');
    }
    await rm(folder, { recursive: true, force: true });
  }, LONG_MS);

  async function startChatd(): Promise<string> {
    const main = join(ROOT, 'packages/cli/src/main.ts');
    const options = ['--listen', '127.0.0.1:0', '--data-dir', join(folder, 'data')];
    const child = spawn(
      process.execPath,
      ['--conditions=chatd-source', main, 'serve', ...options],
      {
        env: { ...process.env, CHATD_ADMIN_TOKEN: TOKEN, CHATD_LOG_LEVEL: 'fatal' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    processes.push(child);
    for await (const line of createInterface(child.stdout)) {
      const [, url] = /ready at (\S+)/.exec(line) ?? [];
      if (url !== undefined) return url;
    }
    throw new Error('chatd did not start');
  }

  /** Repeatedly generates all kinds of load. */
  async function keepBusy(url: string): Promise<void> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const { signal } = ended;
    const talk = async (content: string) => {
      const body = JSON.stringify({ content });
      const made = await fetch(`${url}/api/v1/chats`, { method: 'POST', headers, body, signal });
      const { id } = (await made.json()) as { id: string };
      const stream = await fetch(`${url}/api/v1/chats/${id}/stream`, { headers, signal });
      const decoder = new TextDecoder();
      for await (const chunk of stream.body ?? []) {
        if (/"status":"(?:waiting|error|requires_action)"/.test(decoder.decode(chunk))) return;
      }
    };
    const tricks = [
      'hello',
      'use a tool',
      'fail and retry',
      'fail for good',
      'be slow for 5 seconds',
    ];
    while (!signal.aborted) {
      await Promise.all(tricks.map(talk)).catch(() => undefined);
    }
  }

  async function query(expr: string): Promise<unknown[]> {
    const response = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { status, error, data } = (await response.json()) as {
      status: string;
      error?: string;
      data?: { result: { value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`${expr}: ${error}`);
    // A quantile without samples is NaN.
    return (data?.result ?? []).filter(({ value }) => value[1] !== 'NaN');
  }

  const shown = (expr: string) =>
    vi.waitFor(() => expect(query(expr), expr).resolves.not.toEqual([]), {
      timeout: 300_000,
      interval: 1000,
    });

  test.each(dashboardQueries())(
    'the panel "$title" shows $expr',
    { timeout: LONG_MS },
    async ({ expr }) => {
      await shown(expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'));
    },
  );

  test.each(alertRules())(
    'the alert $alert uses existing metrics',
    { timeout: LONG_MS },
    async ({ expr }) => {
      await query(expr);
      for (const name of metricsIn(expr)) await shown(name);
    },
  );

  test('no alert about chatd fires under this load', async () => {
    const firing = await query(
      'ALERTS{alertstate="firing",alertname=~"ChatdIs(Down|Broken)|ChatdChatsAreTakenAway"}',
    );
    expect(firing).toEqual([]);
  });
});
