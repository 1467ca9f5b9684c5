import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';
import { Diffs } from '../../src/workspaces/diff/diffs.ts';
import type { WorkspaceRow } from '../../src/store/workspaces.ts';
import { eventually } from '@chatd/test-server/eventually';
import type { HostedWorkspace } from '../../src/machine/machine.ts';
import { marker, processesWith, TestMachine } from './sandboxes.ts';

test('a diff that takes too long is ended with its processes', async () => {
  const machine = await TestMachine.start();
  const { sandbox, sh } = await open(machine);
  const time = marker();
  await sh(
    `git init -q; mkdir bin; printf '#!/bin/sh\\nexec sleep ${time}\\n' > bin/git; chmod +x bin/git`,
  );
  const clock = new ManualClock();
  const workspace = {
    run: (request) => sandbox.run(request),
    revision: () => Promise.resolve(0),
  } satisfies Partial<HostedWorkspace> as unknown as HostedWorkspace;
  const diffs = new Diffs({ clock, visit: (_, look) => look(workspace) });
  const row = { id: 'one', baselines: {} } as unknown as WorkspaceRow;
  const diff = diffs.of(row).catch((error: unknown) => String(error));
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toHaveLength(1));
  clock.advance(30_000);
  expect(await diff).toContain('The diff was not computed within 30 seconds.');
  await eventually(() => expect(processesWith(`sleep\0${time}`)).toEqual([]));
});

async function open(machine: TestMachine) {
  const opened = await machine.open({ env: { PATH: '/workspace/bin:/usr/bin:/bin' } });
  return { sandbox: opened.sandbox, sh: (command: string) => opened.sh(command) };
}
