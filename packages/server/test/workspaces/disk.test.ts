import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { DiskGuard } from '../../src/machine/drivers/disk/disk-guard.ts';
import { systemDiskSpace } from '../../src/machine/drivers/disk/disk-space.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { TestMachine } from './sandboxes.ts';

const MB = 1024 * 1024;
const real = systemDiskSpace(await makeTemporaryDirectory());
let free = Infinity;
const disk = new DiskGuard({
  log: pino({ level: 'silent' }),
  workspaceMb: 8,
  reserveMb: 100,
  space: { ...real, free: () => Promise.resolve(free) },
});
const machine = await TestMachine.start({ disk });

test('a workspace that fills its disk space is stopped with the reason, and can then delete but not write', async () => {
  const { sandbox, sh, folder } = await opened();
  const filling = await sandbox.run({
    argv: [
      'sh',
      '-c',
      'i=0; while i=$((i+1)); do head -c 1000000 /dev/zero > fill-$i; [ $i = 12 ] && touch full; done',
    ],
    onOutput: () => undefined,
  });
  await sh('until [ -e full ]; do sleep 0.05; done');
  await disk.checkLimits();
  expect((await filling.exit).signal).toBe('SIGKILL');
  expect(await sandbox.closed).toMatch(/uses \d+ MB of disk space, and its limit is 8 MB/);

  const again = await opened(idIn(folder));
  const refused = await again.sh('echo more > more || echo refused; cat fill-1 | wc -c');
  expect(refused.output).toContain('refused');
  expect(refused.output).toContain('1000000');
  expect(again.sandbox.notice).toContain('its limit is 8 MB. Delete files');
  await expect(again.write('direct', 'x')).rejects.toThrow(/its limit is 8 MB/);
  await again.sh('rm fill-*');
  expect((await again.sh('echo more > more && cat more')).output).toBe('more\n');
  expect(again.sandbox.notice).toBeUndefined();
});

test('folders without read permission are measured', async () => {
  const { sh, folder } = await opened();
  await sh('mkdir hidden; head -c 5000000 /dev/urandom > hidden/data; chmod 000 hidden');
  expect(await real.usedBy(folder)).toBeGreaterThan(5_000_000);
});

test('one file cannot exceed the limit, and a sparse file takes no space', async () => {
  const { sh, folder } = await opened();
  const large = await sh('head -c 100000000 /dev/zero > large; stat -c %s large');
  expect(Number(large.output.trim().split('\n').at(-1))).toBeLessThanOrEqual(16 * MB);
  await sh('rm large; truncate -s 7M sparse');
  expect(await real.usedBy(folder)).toBeLessThan(MB);
});

test('while disk space is low, no workspace is created and nothing is written', async () => {
  const { sh, write } = await opened();
  free = 99 * MB;
  try {
    expect((await sh('echo x > file || echo refused')).output).toContain('refused');
    await expect(write('file', 'x')).rejects.toThrow('100 MB are kept free');
    await expect(machine.open()).rejects.toThrow('The workspace was not created');
  } finally {
    free = Infinity;
  }
  expect((await sh('echo x > file && cat file')).output).toBe('x\n');
});

async function opened(id?: string) {
  const open = await machine.open(id === undefined ? {} : { id });
  return {
    sandbox: open.sandbox,
    folder: open.folder,
    sh: (command: string) => open.sh(command),
    write: (name: string, text: string) => open.write(name, text),
  };
}

const idIn = (folder: string) => join(folder, '..').split('/').at(-1) ?? '';
