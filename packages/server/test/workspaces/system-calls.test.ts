import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { seccompFilter } from '../../src/machine/drivers/host/seccomp.ts';
import { marker, processesWith, TestMachine } from './sandboxes.ts';
import { eventually } from '@chatd/test-server/eventually';

const machine = await TestMachine.start();
const sandbox = await machine.open();

/** A system call by its number on x64, with arguments; prints the error's number, or 0. */
const call = (...numbers: number[]) =>
  `perl -e '$! = 0; syscall(${numbers.join(', ')}); print $! + 0'`;

const EPERM = '1';
const ENOSYS = '38';

describe.runIf(process.arch === 'x64')('the filter of system calls', () => {
  test.each([
    ['keyctl', [250, 0, 0, 0, 0, 0], EPERM],
    ['bpf', [321, 0, 0, 0], EPERM],
    ['perf_event_open', [298, 0, 0, 0, 0, 0], EPERM],
    ['userfaultfd', [323, 0], EPERM],
    ['unshare of a user namespace', [272, 0x10000000], EPERM],
    ['clone into a network namespace', [56, 0x40000000, 0, 0, 0, 0], EPERM],
    ['mount', [165, 0, 0, 0, 0, 0], EPERM],
    ['io_uring_setup', [425, 1, 0], ENOSYS],
    ['clone3', [435, 0, 0], ENOSYS],
    ['a call of the x32 architecture', [0x40000000 + 39], ENOSYS],
    ['typing into a terminal', [16, 0, 0x5412, 0], EPERM],
  ])('%s is refused', async (_name, numbers, error) => {
    expect((await sandbox.sh(call(...numbers))).output).toBe(error);
  });
});

test('every process of a workspace is filtered', async () => {
  const { output } = await sandbox.sh('grep -h Seccomp: /proc/self/status /proc/*/status');
  const modes = output.trim().split('\n');
  expect(modes.filter((mode) => mode === 'Seccomp:\t2').length).toBeGreaterThan(2);
});

test('there is a filter for each architecture that chatd runs on', () => {
  expect(seccompFilter('x64')?.length).toBeGreaterThan(500);
  expect(seccompFilter('arm64')?.length).toBeGreaterThan(500);
  expect(seccompFilter('mips')).toBeUndefined();
});

describe('CPU shares', () => {
  const MOUNT = '/sys/fs/cgroup/cpu';

  test.runIf(existsSync(join(MOUNT, 'cpu.shares')))(
    'a workspace has half of the shares of other groups',
    async () => {
      const time = marker();
      const running = await sandbox.sandbox.run({
        argv: ['sleep', time],
        onOutput: () => undefined,
      });
      const [pid = 0] = await eventually(() => {
        const found = processesWith(`sleep\0${time}`);
        expect(found).toHaveLength(1);
        return Promise.resolve(found);
      });
      const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
      const [, path = ''] = /^\d+:cpu:(.*)$/m.exec(groups) ?? [];
      expect(path).toContain('chatd-');
      expect(readFileSync(join(MOUNT, path, 'cpu.shares'), 'utf8').trim()).toBe('512');
      await running.signal('SIGKILL');
      await running.exit;
    },
  );

  test('without control groups a workspace has a lower priority', async () => {
    const simple = await TestMachine.start({ cgroups: null });
    const own = await simple.open();
    expect((await own.sh('nice')).output.trim()).toBe('5');
  });
});
