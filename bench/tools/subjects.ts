import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile as readBare } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalTool, systemClock } from '@chatd/loop';
import { readFile } from '../../packages/server/src/tools/files/read-file.ts';
import { execute } from '../../packages/server/src/tools/process/execute.ts';
import type { Sandbox } from '../../packages/server/src/machine/drivers/driver.ts';
import { HostDriver } from '../../packages/server/src/machine/drivers/host/host-driver.ts';
import { Journal } from '../../packages/server/src/machine/local/journal.ts';
import { LocalWorkspace } from '../../packages/server/src/machine/local/local-workspace.ts';

/** One variant of an operation. */
export interface Subject {
  readonly work: string;
  readonly by: string;
  once(): Promise<unknown>;
}

const FILE = 'file.txt';
const LINES = Array.from({ length: 200 }, (_, index) => `line ${index + 1} of the file\n`).join('');

/** Two operations, bare and with the tools of chatd, with and without the sandbox. */
export async function openSubjects(
  directory: string,
): Promise<{ subjects: Subject[]; close(): Promise<void> }> {
  const sandboxes: Sandbox[] = [];
  const open = async (name: string, sandbox: boolean) => {
    const driver = new HostDriver({
      directory: join(directory, name),
      hidden: [],
      allowUnsandboxed: true,
      ...(!sandbox && { support: { works: false, why: 'as asked for' } as const }),
    });
    const spec = { id: name, env: {}, limits: { processes: 500 }, network: 'none' as const };
    await driver.create(spec);
    const opened = await driver.open(spec);
    sandboxes.push(opened);
    await opened.files.write(join(opened.root, FILE), Buffer.from(LINES));
    const journal = await Journal.open(join(directory, `${name}-journal`), Date.now);
    const workspace = new LocalWorkspace({
      id: name,
      sandbox: opened,
      checkpoints: await driver.checkpoints(spec),
      journal,
      clock: systemClock,
    });
    return {
      clock: systemClock,
      use: () => Promise.resolve(workspace),
      beforeChange: () => Promise.resolve(),
      hold: () => () => undefined,
      callKey: () => randomUUID(),
      isTakenOver: async () => false,
      count: () => undefined,
    };
  };
  const without = await open('without', false);
  const within = await open('within', true);
  const file = join(directory, 'without', 'without', 'files', FILE);
  const subjects: Subject[] = [
    { work: 'execute true', by: 'bare spawn', once: bareSpawn },
    {
      work: 'execute true',
      by: 'tool, no sandbox',
      once: call(execute(without), { command: 'true' }),
    },
    { work: 'execute true', by: 'tool, sandbox', once: call(execute(within), { command: 'true' }) },
    { work: 'execute true', by: 'bare bwrap', once: bareBubblewrap },
    { work: 'read_file', by: 'bare read', once: () => readBare(file, 'utf8') },
    { work: 'read_file', by: 'tool, no sandbox', once: call(readFile(without), { path: FILE }) },
    { work: 'read_file', by: 'tool, sandbox', once: call(readFile(within), { path: FILE }) },
  ];
  return {
    subjects,
    async close() {
      await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    },
  };
}

const call = (tool: LocalTool, args: object) => () =>
  Promise.resolve(
    tool.run(args as never, {
      callId: 'c',
      signal: new AbortController().signal,
      publish: () => undefined,
    }),
  );

async function bareSpawn(): Promise<void> {
  await ended('bash', ['-c', 'true']);
}

/** The cost of a sandbox per command. */
async function bareBubblewrap(): Promise<void> {
  const args = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  await ended('bwrap', [...args, 'bash', '-c', 'true']);
}

/** Runs a program and reads its output. */
async function ended(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'close');
}
