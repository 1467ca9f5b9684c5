import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_TOKEN, launch, type ServerProcess, spawnServer } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startProxy } from '@chatd/test-server/programs';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';

const COMMANDS = 200;
const KILL_EVERY_MS = 4000;

const directory = await makeTemporaryDirectory();
const database = await createTestDatabase();
const fake = await startFakeProvider({ api: 'anthropic' });
const env = {
  CHATD_DATABASE_URL: database.url,
  CHATD_SECRET_KEY: 'a-secret-key-for-tests',
  CHATD_LOCAL_MACHINE: '0',
  CHATD_LEASE_SECONDS: '2',
  CHATD_MAX_OWNER_DEATHS: '0',
  CHATD_ALLOW_PRIVATE_URLS: '1',
  CHATD_ADMIN_TOKEN: ADMIN_TOKEN,
};
const start = (name: string) => spawnServer(join(directory, name), { env });
const replicas: ServerProcess[] = [await start('a'), await start('b')];
const portOf = ({ url }: ServerProcess) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });
const [first] = replicas as [ServerProcess, ServerProcess];
/** Stands in for the load balancer. */
const proxy = await startProxy(portOf(first));
const { token } = await first.client.ok('createMachine', { body: { name: 'lasting' } });
const machine = launch(
  ['machine', '--url', `http://127.0.0.1:${proxy.port}`, '--data-dir', join(directory, 'machine')],
  { env: { CHATD_MACHINE_TOKEN: token } },
);
afterAll(async () => {
  machine.child.kill('SIGKILL');
  for (const { child } of replicas) child.kill('SIGKILL');
  await Promise.all([machine.ended, ...replicas.map(({ ended }) => ended)]);
  await proxy.close();
  await fake.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

test(
  'a chat completes while replicas are killed: no effect is lost or repeated',
  { timeout: 600_000 },
  async () => {
    await machine.said('"msg":"connected"');
    const { client } = first;
    const provider = await client.ok('createProvider', {
      body: { type: 'anthropic', name: 'fake', base_url: fake.url, api_key: 'sk-any-key-at-all' },
    });
    const { id: model_config_id } = await client.ok('createModelConfig', {
      body: { provider_id: provider.id, model: 'claude-sonnet-4-5', context_limit: 10_000_000 },
    });
    const { id: template_id } = await client.ok('createTemplate', {
      body: { name: 'nothing', driver: 'host' },
    });
    const { id: workspace_id } = await client.ok('createWorkspace', { body: { template_id } });
    await eventually(async () =>
      expect(await client.ok('getWorkspace', { params: { workspace_id } })).toMatchObject({
        status: 'ready',
      }),
    );
    // The answer depends only on the request, so that a repeated request gets the same answer.
    fake.answerWith(({ body }) => {
      const sent = JSON.stringify(body);
      if (!sent.includes('"execute"')) return answer([text('A title')]);
      const done = sent.match(/"type":"tool_result"/g)?.length ?? 0;
      if (done === COMMANDS) return answer([text('Done.')]);
      const command = `echo ${done} >> effects; echo begin ${done}; sleep 0.2; echo end ${done}`;
      return answer([toolCall('execute', { command, timeout: 60 })]);
    });
    const chat = await client.ok('createChat', {
      body: { content: 'Run them.', model_config_id, workspace_id },
    });
    const params = { chat_id: chat.id };
    let kills = 0;
    for (let status = 'running'; status === 'running';) {
      await sleep(KILL_EVERY_MS);
      const index = kills % 2;
      const [victim, other] = [replicas[index], replicas[1 - index]] as [
        ServerProcess,
        ServerProcess,
      ];
      victim.child.kill('SIGKILL');
      await victim.ended;
      kills += 1;
      proxy.allow(portOf(other));
      replicas[index] = await start(index === 0 ? 'a' : 'b');
      ({ status } = await other.client.ok('getChat', { params }));
    }
    const reader = replicas[0] as ServerProcess;
    expect(await reader.client.ok('getChat', { params })).toMatchObject({ status: 'waiting' });
    const numbers = Array.from({ length: COMMANDS }, (_, index) => index);
    const effects = await readFile(
      join(directory, 'machine', 'workspaces', workspace_id, 'files', 'effects'),
      'utf8',
    );
    expect(effects.trimEnd().split('\n').map(Number)).toEqual(numbers);
    const results: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await reader.client.ok('listMessages', {
        params,
        query: { limit: 100, ...(cursor !== undefined && { cursor }) },
      });
      for (const { content } of page.messages)
        for (const part of content) if (part.type === 'tool-result') results.push(part.result);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const recovered = results.filter(
      (result) => typeof result === 'object' && result !== null && 'exit_code' in result,
    );
    expect(results).toHaveLength(COMMANDS);
    expect(kills).toBeGreaterThan(5);
    expect(recovered.length).toBeGreaterThanOrEqual(COMMANDS * 0.95);
    const outputs = new Set(
      recovered.map((result) => (result as unknown as { output: string }).output),
    );
    for (const output of outputs) expect(output).toMatch(/^begin (\d+)\nend \1\n$/);
    expect(outputs.size).toBe(recovered.length);
  },
);
