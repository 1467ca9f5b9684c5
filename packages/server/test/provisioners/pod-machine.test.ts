import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createChatd } from '../../src/index.ts';
import { TestCluster } from './cluster.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const CLI = join(import.meta.dirname, '../../../cli/src/main.ts');
const TOKEN = 'test-admin-token-0123456789';

let directory: string;
let cluster: TestCluster;
let chatd: Awaited<ReturnType<typeof createChatd>>;

beforeAll(async () => {
  directory = await makeTemporaryDirectory();
  cluster = await TestCluster.start({
    images: ['chatd:1'],
    start(env, pod) {
      const child = spawn(process.execPath, ['--conditions=chatd-source', CLI, 'machine'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          ...env,
          CHATD_LOG_LEVEL: 'error',
          CHATD_DATA_DIR: join(directory, pod.metadata?.name ?? ''),
        },
      });
      const exit = once(child, 'close').then(([code]) => Number(code ?? 1));
      return { exit, kill: () => child.kill('SIGTERM') };
    },
  });
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig);
  vi.stubEnv('KUBECONFIG', kubeconfig);
  const { url } = await createTestDatabase();
  chatd = await createChatd({
    settings: {
      database_url: url,
      data_dir: join(directory, 'server'),
      bus_url: 'memory:',
      listen: '127.0.0.1:0',
      admin_token: TOKEN,
      log_level: 'silent',
      local_machine: false,
    },
  });
});

afterAll(async () => {
  await chatd.close();
  await cluster.close();
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

test('a workspace runs in its pod, on a replica without a machine, until it is deleted', async () => {
  const client = new ApiClient(chatd.url, { authorization: `Bearer ${TOKEN}` });
  const template = await client.ok('createTemplate', {
    body: {
      name: 'pods',
      driver: 'host',
      setup: 'echo made in the pod > made.txt; cat made.txt',
      machine: {
        provisioner: { kubernetes: { url: chatd.url, image: 'chatd:1', namespace: 'default' } },
      },
    },
  });
  const { id } = await client.ok('createWorkspace', { body: { template_id: template.id } });
  const params = { workspace_id: id };
  await expect
    .poll(async () => (await client.ok('getWorkspace', { params })).status, { timeout: 40_000 })
    .not.toBe('creating');
  const workspace = await client.ok('getWorkspace', { params });
  expect(workspace.error ?? '').toBe('');
  expect(workspace).toMatchObject({
    status: 'ready',
    machine_name: expect.stringMatching(/^kubernetes-/),
  });
  expect(workspace.log).toMatch(/Creating pod chatd-\S+ in namespace default[^]*made in the pod/);
  const { machines } = await client.ok('listMachines');
  expect(machines).toMatchObject([{ status: 'online', workspaces: 1 }]);
  expect(cluster.pods).toHaveLength(1);
  // The token authorizes only the machine connection.
  const [secret] = cluster.secrets;
  const token = Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString();
  const answer = await fetch(`${chatd.url}/api/v1/chats`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(401);
  await client.ok('deleteWorkspace', { params });
  await expect.poll(() => cluster.pods.length, { timeout: 20_000 }).toBe(0);
  expect(cluster.secrets).toEqual([]);
  await expect.poll(async () => (await client.ok('listMachines')).machines).toEqual([]);
});
