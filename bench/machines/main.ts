import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@chatd/loop';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { pino } from 'pino';
import { openLocalMachine } from '../../packages/server/src/machine/local/open-local-machine.ts';
import type { HostedWorkspace, Machine } from '../../packages/server/src/machine/machine.ts';
import { execute } from '../../packages/server/src/tools/process/execute.ts';
import { conclude } from '../report/conclude.ts';
import { type MachinesData, machinesReport } from '../report/machines.ts';
import { quantile } from '../report/statistics.ts';
import { measureIdle } from './idle.ts';
import { MACHINE } from './machine-settings.ts';
import { startRemote } from './remote.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * What a machine in another process costs, compared with the machine of the own process. Both run on this computer, and
 * alternate call by call, so that other load affects both equally.
 */
const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '300' },
    reads: { type: 'string', default: '30' },
    terminals: { type: 'string', default: '100' },
    idle: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    keep: { type: 'boolean', default: false },
  },
});

const MB = 1024 * 1024;
const FILE_MB = 10;
const UPDATES_PER_SECOND = 20;
const seconds = Number(options.seconds);

const directory = await makeTemporaryDirectory();
const local = await openLocalMachine({
  ...MACHINE,
  directory: join(directory, 'local'),
  hidden: [],
  log: pino({ level: 'silent' }),
});
const remote = await startRemote(join(directory, 'remote'));
try {
  const subjects = [await openSubject(local.machine), await openSubject(remote.machine)] as const;
  say('execute true …');
  const [localMs = [], remoteMs = []] = await alternate(
    subjects,
    Number(options.calls),
    (subject) => subject.run(),
  );
  say('reading …');
  const [localRead = [], remoteRead = []] = await alternate(
    subjects,
    Number(options.reads),
    ({ workspace }) => readWhole(workspace),
  );
  say('terminals …');
  const latencies = await measureTerminals(subjects[1].workspace, Number(options.terminals));
  await Promise.all(subjects.map((subject) => subject.close()));
  say('idle machines …');
  const data: MachinesData = {
    calls: Number(options.calls),
    execute: { local: quantile(localMs, 0.5), remote: quantile(remoteMs, 0.5) },
    read: {
      mb: FILE_MB,
      local: (FILE_MB / quantile(localRead, 0.5)) * 1000,
      remote: (FILE_MB / quantile(remoteRead, 0.5)) * 1000,
    },
    terminals: {
      count: Number(options.terminals),
      updates: latencies.length / seconds,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
    },
    idle: await measureIdle(directory, Number(options.idle), seconds),
  };
  await conclude(machinesReport, { data }, options);
} finally {
  await remote.close();
  await local.close();
  await rm(directory, { recursive: true, force: true });
}
process.exit(0);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Subject {
  readonly workspace: HostedWorkspace;
  run(): Promise<unknown>;
  close(): Promise<void>;
}

async function openSubject(machine: Machine): Promise<Subject> {
  const spec = {
    id: randomUUID(),
    driver: 'host',
    env: {},
    limits: {},
    network: 'none',
  } as const;
  await machine.setUp({
    spec,
    definition: { driver: 'host' },
    attempt: 'first',
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
  const workspace = await machine.open(spec);
  await workspace.files.write(pathOf(workspace), Buffer.alloc(FILE_MB * MB, 'x'));
  const tool = execute({
    clock: systemClock,
    use: () => Promise.resolve(workspace),
    beforeChange: () => Promise.resolve(),
    hold: () => () => undefined,
    callKey: () => randomUUID(),
    isTakenOver: async () => false,
    count: () => undefined,
  });
  return {
    workspace,
    run: async () =>
      await tool.run(
        { command: 'true' },
        {
          callId: randomUUID(),
          signal: new AbortController().signal,
          publish: () => undefined,
        },
      ),
    close: () => machine.stop(spec),
  };
}

function pathOf({ root }: HostedWorkspace): string {
  return posix.join(root, 'file');
}

/** Milliseconds of each call, by subject. A tenth of the calls is for warming up. */
async function alternate(
  subjects: readonly Subject[],
  calls: number,
  once: (subject: Subject) => Promise<unknown>,
): Promise<number[][]> {
  const taken = subjects.map((): number[] => []);
  for (let call = -Math.ceil(calls / 10); call < calls; call++) {
    for (const [at, subject] of subjects.entries()) {
      const start = performance.now();
      await once(subject);
      if (call >= 0) taken[at]?.push(performance.now() - start);
    }
  }
  return taken;
}

/** At once, like a download. */
async function readWhole(workspace: HostedWorkspace): Promise<void> {
  const length = FILE_MB * MB;
  const { bytes } = await workspace.files.read(pathOf(workspace), 0, length);
  if (bytes.length !== length) throw new Error(`read ${bytes.length} of ${length} bytes`);
}

/** Milliseconds between the output of a program and its arrival. Each line is the time at which it was written. */
async function measureTerminals(workspace: HostedWorkspace, count: number): Promise<number[]> {
  const taken: number[] = [];
  let isMeasuring = false;
  const pause = 1 / UPDATES_PER_SECOND;
  const program = `exec perl -MTime::HiRes=time,sleep -e '$|=1; while (1) { printf "<%.6f>\\n", time; sleep ${pause} }'\n`;
  const views = await Promise.all(
    Array.from({ length: count }, async () => {
      const { id } = await workspace.terminals.open(undefined, { cols: 80, rows: 24 });
      const view = await workspace.terminals.attach(id, undefined, {
        onOutput(bytes) {
          if (!isMeasuring) return;
          const now = performance.timeOrigin + performance.now();
          for (const [, at = ''] of Buffer.from(bytes)
            .toString('latin1')
            .matchAll(/<([\d.]+)>/g))
            taken.push(now - Number(at) * 1000);
        },
        onEnd: () => undefined,
      });
      view?.write(Buffer.from(program));
      return view;
    }),
  );
  await sleep(3000);
  isMeasuring = true;
  await sleep(seconds * 1000);
  isMeasuring = false;
  for (const view of views) view?.end();
  return taken;
}
