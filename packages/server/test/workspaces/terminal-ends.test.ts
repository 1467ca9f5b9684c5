import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { spawnServer, startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { marker, processesWith } from './sandboxes.ts';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { TerminalClient } from './terminal-client.ts';

const directory = await makeTemporaryDirectory();
afterAll(() => rm(directory, { recursive: true, force: true }));

test('a terminal that no client reconnects to ends with its processes', async () => {
  const dataDir = join(directory, 'kept');
  await mkdir(dataDir);
  const { owner } = await startTestServer(
    {
      dataDir,
      workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
    },
    { terminals: { keepMs: 50 } },
  );
  const id = await readyWorkspace(owner);
  const terminal = await TerminalClient.open(owner, id);
  const time = marker();
  terminal.type(`sleep ${time}\n`);
  await eventually(() => expect(processesWith(time)).not.toEqual([]));
  await terminal.cut();
  const params = { workspace_id: id };
  await eventually(async () =>
    expect(await owner.ok('listTerminals', { params })).toEqual({
      terminals: [],
      next_cursor: null,
    }),
  );
  await eventually(() => expect(processesWith(time)).toEqual([]));
});

test('no process of a terminal survives a killed server', async () => {
  const { child, client, ended } = await spawnServer(join(directory, 'killed'));
  const id = await readyWorkspace(client);
  const terminal = await TerminalClient.open(client, id);
  const time = marker();
  terminal.type(`trap "" HUP; setsid sleep ${time} & sleep ${time}\n`);
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(2));
  child.kill('SIGKILL');
  await ended;
  await eventually(() => expect(processesWith(time)).toEqual([]));
});
