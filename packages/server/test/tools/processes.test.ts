import { ManualClock } from '@chatd/loop/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkspaceHandle } from '../../src/tools/workspace-handle.ts';
import { SandboxClosed } from '../../src/machine/drivers/driver.ts';
import { CallLost, type Command, type CommandRequest } from '../../src/machine/machine.ts';
import { execute } from '../../src/tools/process/execute.ts';
import { processList } from '../../src/tools/process/process-list.ts';
import { processOutput } from '../../src/tools/process/process-output.ts';
import { processSignal } from '../../src/tools/process/process-signal.ts';
import { eventually } from '@chatd/test-server/eventually';
import { isStopped, ownProcesses, TestMachine } from '../workspaces/sandboxes.ts';
import { call, deskFor, refusal } from './workspace-handle.ts';

const machine = await TestMachine.start();
const sandbox = await machine.open();
const handle = deskFor(sandbox);

interface CommandResult {
  readonly exit_code?: number | null;
  readonly signal?: string;
  readonly process_id?: string;
  readonly still_running?: boolean;
  readonly output?: string;
  readonly next_offset?: number;
}

const run = async (args: object, more = {}, on: WorkspaceHandle = handle) =>
  (await call(execute(on), args, more)) as CommandResult;
const output = async (args: object, more = {}, on: WorkspaceHandle = handle) =>
  (await call(processOutput(on), args, more)) as CommandResult;

test('a command returns its output and exit code', async () => {
  expect(await run({ command: 'echo out; echo err >&2; exit 3' })).toEqual({
    exit_code: 3,
    output: 'out\nerr\n',
  });
  expect(await run({ command: 'pwd', workdir: 'sub/../' })).toMatchObject({
    output: '/workspace\n',
  });
  expect(await run({ command: 'kill -TERM $$' })).toMatchObject({
    exit_code: null,
    signal: 'SIGTERM',
  });
  expect(await refusal(execute(handle), { command: 'true', workdir: 'none' })).toContain('ENOENT');
});

test('the result of a command that ended before its machine restarted comes from the journal', async () => {
  const open = await handle.use({ signal: new AbortController().signal, publish: () => undefined });
  /** The connection is lost after the first output, and the machine restarts when the command has ended. */
  const restarting = (after: 'start' | 'output'): WorkspaceHandle => {
    const commands = {
      ...open.commands,
      start: async (request: CommandRequest) => {
        const onOutput = after === 'start' ? () => undefined : request.onOutput;
        const command = await open.commands.start({ ...request, onOutput });
        await command.exit;
        if (after === 'start') throw new SandboxClosed('the machine restarted');
        return { ...command, exit: Promise.reject(new CallLost('the machine restarted')) };
      },
    };
    const uses = [{ ...open, commands }, open];
    return { ...handle, use: async () => uses.shift() ?? open };
  };
  const result = { exit_code: 3, output: 'once\n' };
  const command = 'echo ran >> restarts; echo once; exit 3';
  expect(await run({ command }, {}, restarting('start'))).toEqual(result);
  expect(await run({ command }, {}, restarting('output'))).toEqual(result);
  expect(await run({ command: 'cat restarts' })).toMatchObject({ output: 'ran\nran\n' });
});

test('the outcome of a command is unknown if its lost machine may have started it', async () => {
  const open = await handle.use({ signal: new AbortController().signal, publish: () => undefined });
  const commands = {
    ...open.commands,
    start: (request: CommandRequest) => {
      request.onWaiting?.('far-away');
      return new Promise<never>(() => undefined);
    },
  };
  const lost: WorkspaceHandle = { ...handle, use: async () => ({ ...open, commands }) };
  const said = await refusal(execute(lost), { command: 'true', timeout: 0.05 });
  expect(said).toContain('far-away was lost. It is unknown whether the command was run.');
});

test('a command that starts too late is killed, unless another replica has taken over its call', async () => {
  const open = await handle.use({ signal: new AbortController().signal, publish: () => undefined });
  /** What happens to a command whose machine accepts it when the time is up. */
  const startedLate = async (isTakenOver: boolean) => {
    const connected = Promise.withResolvers<void>();
    const started = Promise.withResolvers<Command>();
    const commands = {
      ...open.commands,
      signal: (id: string, name: NodeJS.Signals) => open.commands.signal(id, name),
      start: async (request: CommandRequest) => {
        await connected.promise;
        const command = await open.commands.start({ ...request, signal: undefined });
        started.resolve(command);
        return command;
      },
    };
    const late: WorkspaceHandle = {
      ...handle,
      use: async () => ({ ...open, commands }),
      isTakenOver: async () => isTakenOver,
    };
    const said = await refusal(execute(late), { command: 'sleep 0.5; exit 3', timeout: 0.05 });
    expect(said).toContain('could not be started');
    connected.resolve();
    return await (
      await started.promise
    ).exit;
  };
  expect(await startedLate(false)).toMatchObject({ code: null, signal: 'SIGKILL' });
  expect(await startedLate(true)).toMatchObject({ code: 3, signal: null });
});

test('the outcome of a command is unknown if its machine restarted twice', async () => {
  const open = await handle.use({ signal: new AbortController().signal, publish: () => undefined });
  const failing = (failure: Error) => ({
    ...open,
    commands: { ...open.commands, start: () => Promise.reject(failure) },
  });
  const restarted = new SandboxClosed('the machine closed it meanwhile');
  for (const first of [restarted, new CallLost('the machine restarted')]) {
    const uses = [failing(first), failing(restarted)];
    const restarting: WorkspaceHandle = { ...handle, use: async () => uses.shift() ?? open };
    expect(await refusal(execute(restarting), { command: 'true' })).toContain(
      'the machine closed it meanwhile. Its processes were killed; files are kept. It is unknown whether the command was run.',
    );
  }
});

test('a command line that cannot be parsed is a syntax error', async () => {
  const { exit_code, output: text } = await run({ command: 'if' });
  expect(exit_code).not.toBe(0);
  expect(text).toContain('syntax error');
});

test('a command does not wait for input', async () => {
  expect(await run({ command: 'cat; read line; echo "got $line"' })).toMatchObject({
    output: 'got \n',
  });
});

test('NUL and invalid UTF-8 are replaced', async () => {
  const { output: text } = await run({ command: `printf 'a\\0b\\377c'` });
  expect(text).toBe('a\uFFFDb\uFFFDc');
});

test('output is shown while the command runs', async () => {
  const shown: string[] = [];
  const publish = (text: string) => shown.push(text);
  const running = run(
    { command: 'echo first; until [ -e go ]; do sleep 0.02; done; echo second' },
    { publish },
  );
  await eventually(() => expect(shown.join('')).toBe('first\n'));
  await sandbox.write('go', '');
  expect((await running).output).toBe('first\nsecond\n');
  expect(shown.join('')).toBe('first\nsecond\n');
});

test('a character split between two chunks is shown as one', async () => {
  let shown = '';
  const publish = (text: string) => (shown += text);
  await run({ command: `printf '\\303'; sleep 0.2; printf '\\244\\n'` }, { publish });
  expect(shown).toBe('ä\n');
});

test('after its timeout, a command continues in the background', async () => {
  const clock = new ManualClock();
  const own = deskFor(sandbox, clock);
  const waiting = run(
    {
      command: 'echo begun; touch begun; until [ -e finish ]; do sleep 0.02; done; echo done',
      timeout: 5,
    },
    {},
    own,
  );
  await clock.waiting(5000);
  await eventually(() => sandbox.read('begun'));
  clock.advance(5000);
  const late = await waiting;
  expect(late).toMatchObject({ still_running: true });
  const { process_id } = late;
  expect(await call(processList(own))).toMatchObject({
    processes: [{ process_id, still_running: true }],
  });
  await sandbox.write('finish', '');
  await eventually(async () =>
    expect(await output({ process_id }, {}, own)).toMatchObject({
      exit_code: 0,
      output: 'begun\ndone\n',
    }),
  );
});

test('a command that ignores signals and closes its output does not block the call', async () => {
  const clock = new ManualClock();
  const own = deskFor(sandbox, clock);
  const waiting = run(
    { command: `trap '' TERM INT HUP; exec >&- 2>&-; touch deaf; sleep 1000`, timeout: 1 },
    {},
    own,
  );
  await clock.waiting(1000);
  await eventually(() => sandbox.read('deaf'));
  clock.advance(1000);
  const { process_id } = await waiting;
  expect(await call(processSignal(own), { process_id, signal: 'SIGKILL' })).toContain('has ended');
});

test('a sandbox that is stopped from inside does not block the call', async () => {
  const own = await machine.open();
  const clock = new ManualClock();
  const frozen = deskFor(own, clock);
  // This never gets a response.
  own.sh('kill -STOP 2').catch(() => undefined);
  await eventually(() => expect(ownProcesses().filter(isStopped)).not.toEqual([]));
  const waiting = refusal(execute(frozen), { command: 'echo', timeout: 3 });
  await clock.waiting(3000);
  clock.advance(3000);
  expect(await waiting).toContain('could not be started within 3 s');
  await own.sandbox.close();
  expect(await own.sandbox.closed).toBe('it was closed');
});

test('an interrupted command is killed with its children, and its output is kept', async () => {
  const stop = new AbortController();
  let shown = '';
  const waiting = run(
    { command: 'echo working; sleep 98765 & sleep 98765' },
    { signal: stop.signal, publish: (text: string) => (shown += text) },
  ).catch((error: unknown) => String(error));
  await eventually(() => expect(shown).toBe('working\n'));
  stop.abort(new Error('enough'));
  expect(await waiting).toContain('was interrupted and killed. Output so far:\nworking');
  await eventually(async () =>
    expect((await sandbox.sh('pgrep -f "sleep 9876[5]"')).output).toBe(''),
  );
});

test('a background command can be read, awaited and signaled', async () => {
  const { process_id } = await run({
    command: `trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done`,
    run_in_background: true,
  });
  const first = await eventually(async () => {
    const now = await output({ process_id });
    expect(now.output).toBe('up\n');
    return now;
  });
  expect(first.still_running).toBe(true);
  expect(await call(processSignal(handle), { process_id })).toContain('has ended');
  const last = await output({ process_id, offset: first.next_offset, wait: 60 });
  expect(last).toMatchObject({ exit_code: 7, output: expect.stringMatching(/^(?!up).*bye\n$/s) });
  expect(await refusal(processOutput(handle), { process_id: 'p00000000' })).toContain(
    'process_list',
  );
});

test('processes started by a background command outlive it', async () => {
  const { process_id } = await run({
    command: '(while :; do echo beat; sleep 0.05; done) & echo started',
    run_in_background: true,
  });
  await output({ process_id, wait: 60 });
  const { next_offset } = await output({ process_id });
  await run({ command: 'true' });
  await eventually(async () =>
    expect((await output({ process_id })).next_offset).toBeGreaterThan((next_offset ?? 0) + 20),
  );
  await call(processSignal(handle), { process_id, signal: 'SIGKILL' });
  await eventually(async () =>
    expect((await sandbox.sh('pgrep -f "echo bea[t]"')).output).toBe(''),
  );
});

test('waiting for a process ends with the turn', async () => {
  const { process_id } = await run({ command: 'sleep 1000', run_in_background: true });
  onTestFinished(async () => void (await call(processSignal(handle), { process_id })));
  const stop = new AbortController();
  const waiting = output({ process_id, wait: 600 }, { signal: stop.signal }).catch(String);
  stop.abort(new Error('enough'));
  expect(await waiting).toContain('enough');
});

/** The CPU time of this thread in milliseconds. */
const cpu = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

test('huge output takes little memory and does not block the event loop', async () => {
  const before = process.memoryUsage().rss;
  let most = before;
  let longest = 0;
  let last = cpu();
  // The event loop is blocked between two ticks. CPU time, because other processes compete for the processor.
  const beat = setInterval(() => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    most = Math.max(most, process.memoryUsage().rss);
    last = cpu();
  }, 1);
  let shown = 0;
  const { exit_code, output: text = '' } = await run(
    { command: 'head -c 400000000 /dev/zero | tr "\\0" x' },
    { publish: (piece: string) => (shown += piece.length) },
  );
  clearInterval(beat);
  process.stdout.write(
    `400 MB of output: ${Math.round((most - before) / 1024 / 1024)} MiB of memory, stalls of ${Math.round(longest)} ms at most\n`,
  );
  expect(exit_code).toBe(0);
  expect(text).toMatch(/^x+\n\[… \d+ bytes omitted …\]\nx+$/);
  expect(text.length).toBeLessThan(100 * 1024);
  expect(shown).toBeLessThan(1024 * 1024);
  expect(most - before).toBeLessThan(160 * 1024 * 1024);
  expect(longest).toBeLessThan(50);
});

test('the number of concurrent commands is limited', async () => {
  const own = await machine.open({ limits: { processes: 400 } });
  const busy = deskFor(own);
  for (let count = 0; count < 64; count++) {
    await run({ command: 'exec sleep 1000', run_in_background: true }, {}, busy);
  }
  expect(await refusal(execute(busy), { command: 'true' })).toContain(
    '64 commands are already running',
  );
});
