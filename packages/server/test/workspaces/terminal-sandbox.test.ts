import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { TestMachine, type TestBox } from './sandboxes.ts';

const machine = await TestMachine.start();
const sandbox = await machine.open();

async function shell({ sandbox: spec }: TestBox, ...argv: string[]) {
  let output = '';
  const terminal = await spec.terminal({
    argv: [argv[0] ?? spec.shell, ...argv.slice(1)],
    cols: 80,
    rows: 24,
    onOutput: (bytes) => {
      output += Buffer.from(bytes).toString('utf8');
    },
  });
  return {
    ...terminal,
    type: (text: string) => terminal.write(Buffer.from(text)),
    /** Waits for text in the output, without control sequences. */
    shows: (text: string | RegExp) =>
      eventually(() => expect(stripVTControlCharacters(output)).toMatch(text)),
  };
}

test('a shell has a terminal of the given size', async () => {
  const terminal = await shell(sandbox);
  terminal.type('tty; stty size; echo "term=$TERM"\n');
  await terminal.shows(/\/dev\/pts\/\d+\r\n24 80\r\nterm=xterm-256color/);
  terminal.resize({ cols: 132, rows: 50 });
  terminal.type('stty size\n');
  await terminal.shows('50 132');
  terminal.type('exit 3\n');
  expect(await terminal.exit).toEqual({ code: 3, signal: null });
});

test('keys interrupt and suspend commands, and jobs continue', async () => {
  const terminal = await shell(sandbox);
  terminal.type('sleep 1000\n');
  await terminal.shows('sleep 1000');
  await eventually(async () => expect((await sandbox.sh('pgrep -fx "sleep 1000"')).code).toBe(0));
  terminal.type('\u0003');
  terminal.type('echo "code=$?"\n');
  await terminal.shows('code=130');
  terminal.type('sleep 2000\n');
  await eventually(async () => expect((await sandbox.sh('pgrep -fx "sleep 2000"')).code).toBe(0));
  terminal.type('\u001A');
  await terminal.shows(/Stopped\s+sleep 2000/);
  terminal.type('bg; jobs\n');
  await terminal.shows(/Running\s+sleep 2000/);
  terminal.type('kill %1; wait; exit\n');
  expect(await terminal.exit).toMatchObject({ signal: null });
});

test('a shell survives the commands of agents', async () => {
  const terminal = await shell(sandbox);
  terminal.type('echo ready\n');
  await terminal.shows('ready');
  for (let count = 0; count < 3; count += 1) await sandbox.sh('sleep 0 & true');
  terminal.type('echo "still $((40 + 2))"\n');
  await terminal.shows('still 42');
  await terminal.signal('SIGKILL');
  expect(await terminal.exit).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a program is notified when the terminal is resized', async () => {
  const terminal = await shell(
    sandbox,
    'bash',
    '-c',
    'trap "stty size" WINCH; echo on; while :; do sleep 0.1; done',
  );
  await terminal.shows('on');
  terminal.resize({ cols: 91, rows: 17 });
  await terminal.shows('17 91');
  await terminal.signal('SIGKILL');
  await terminal.exit;
});

test('a program with endless output waits while the output is paused', async () => {
  let bytes = 0;
  const terminal = await sandbox.sandbox.terminal({
    argv: ['yes'],
    cols: 80,
    rows: 24,
    onOutput: (chunk) => {
      bytes += chunk.length;
    },
  });
  await eventually(() => expect(bytes).toBeGreaterThan(10_000));
  terminal.flow(false);
  let before = -1;
  await eventually(() => {
    const last = before;
    before = bytes;
    expect(bytes).toBe(last);
  });
  terminal.flow(true);
  await eventually(() => expect(bytes).toBeGreaterThan(before));
  await terminal.signal('SIGKILL');
  await terminal.exit;
});

test('terminals end with their sandbox', async () => {
  const other = await machine.open();
  const terminal = await shell(other);
  terminal.type('sleep 3456 &\n');
  await terminal.shows('sleep 3456');
  await other.sandbox.close();
  expect(await terminal.exit).toEqual({ code: null, signal: 'SIGKILL' });
  terminal.type('into nothing');
});
