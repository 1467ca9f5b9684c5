import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { openLocalMachine } from '../../src/machine/local/open-local-machine.ts';
import type { HostedSpec } from '../../src/machine/machine.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { fileTree } from '../support/file-tree.ts';

const FILES = 200;
/** Each point starts a process. */
const SLOW = { timeout: 600_000 };
const log = pino({ level: 'silent' });

/** A workspace on the disk, and processes that record and restore its files, one after the other. */
class KilledWorkspace {
  readonly #directory: string;
  readonly #spec: HostedSpec;
  readonly files: string;
  readonly store: string;
  #child: ChildProcess | undefined;
  #lines: AsyncIterator<string> | undefined;

  private constructor(directory: string, spec: HostedSpec) {
    this.#directory = directory;
    this.#spec = spec;
    this.files = join(directory, spec.id, 'files');
    this.store = join(directory, spec.id, 'checkpoints');
  }

  static async make(): Promise<KilledWorkspace> {
    const directory = await makeTemporaryDirectory();
    const spec = {
      id: randomUUID(),
      driver: 'host',
      env: {},
      limits: {},
      network: 'none',
    } as const;
    const workspace = new KilledWorkspace(directory, spec);
    onTestFinished(async () => {
      await workspace.kill();
      await rm(directory, { recursive: true, force: true });
    });
    const { machine, close } = await openLocalMachine({
      directory,
      hidden: [],
      allowUnsandboxed: false,
      log,
    });
    await machine.setUp({
      spec,
      definition: { driver: 'host' },
      attempt: '1',
      signal: new AbortController().signal,
      onOutput: () => undefined,
    });
    await close();
    return workspace;
  }

  at = (path: string) => join(this.files, path);
  tree = () => fileTree(this.files);

  /** Changes every file, some permissions, links and empty folders. */
  fill(word: string): void {
    for (const name of readdirSync(this.files)) rmSync(this.at(name), { recursive: true });
    for (let index = 0; index < FILES; index++) {
      const path = this.at(`${word === 'one' ? index % 7 : index % 5}/${index}`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${word} ${index}\n`.repeat(1 + (index % 50)));
      if (index % 10 === 0) chmodSync(path, word === 'one' ? 0o600 : 0o755);
    }
    symlinkSync(`to ${word}`, this.at('link'));
    mkdirSync(this.at(`empty/${word}`), { recursive: true });
    execFileSync('chown', ['-hR', '--reference', this.files, this.files]);
  }

  /** Opens the workspace in a new process, as the next server does. */
  async open(): Promise<void> {
    const program = new URL('../support/checkpoint-process.ts', import.meta.url).pathname;
    const child = spawn(
      process.execPath,
      ['--conditions=chatd-source', program, this.#directory, this.#spec.id],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await this.#next();
  }

  ask(request: object): void {
    this.#child?.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  async save(): Promise<string> {
    this.ask({ save: uuidv7() });
    return ((await this.#next()) as { tree: string }).tree;
  }

  async restore(restore: string, target: string, expected: string): Promise<unknown> {
    this.ask({ restore, target, expected });
    return await this.#next();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }

  /** Kills the process as soon as the condition is true. */
  async killWhen(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await setImmediate();
    await this.kill();
  }

  restoreState(): 'none' | 'begun' | 'done' {
    const path = join(this.store, 'restore.json');
    if (!existsSync(path)) return 'none';
    return /"isDone":true/.test(readFileSync(path, 'utf8')) ? 'done' : 'begun';
  }

  async #next(): Promise<unknown> {
    const { value, done } = (await this.#lines?.next()) ?? { done: true };
    if (done === true) throw new Error('the process has ended');
    return JSON.parse(value) as unknown;
  }
}

async function twoStates() {
  const workspace = await KilledWorkspace.make();
  workspace.fill('one');
  await workspace.open();
  const one = { tree: await workspace.save(), files: workspace.tree() };
  workspace.fill('two');
  const two = { tree: await workspace.save(), files: workspace.tree() };
  return { workspace, one, two };
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

test(
  'a restore that is killed at any point is complete once the workspace reopens, and happens once',
  SLOW,
  async () => {
    const { workspace, one, two } = await twoStates();
    const isRestored = (index: number) => () => {
      const path = workspace.at(`${index % 7}/${index}`);
      return isThere(path) && readFileSync(path, 'utf8').startsWith('one');
    };
    const points = {
      begun: () => workspace.restoreState() === 'begun',
      'a file': isRestored(13),
      'half of the files': isRestored(FILES / 2),
      'empty folders': () => isThere(workspace.at('empty/one')),
      done: () => workspace.restoreState() === 'done',
    };
    for (const [point, isReached] of Object.entries(points)) {
      const id = uuidv7();
      rmSync(join(workspace.store, 'restore.json'), { force: true });
      workspace.ask({ restore: id, target: one.tree, expected: two.tree });
      await workspace.killWhen(isReached);
      await workspace.open();
      expect(workspace.tree(), point).toEqual(one.files);

      // The next server does not know whether the restore happened.
      writeFileSync(workspace.at('by-hand'), 'kept');
      expect(await workspace.restore(id, one.tree, two.tree)).toEqual({ restored: true });
      expect(readFileSync(workspace.at('by-hand'), 'utf8')).toBe('kept');

      workspace.fill('two');
      expect(await workspace.save()).toBe(two.tree);
    }
  },
);

test(
  'a restore that is killed at any time either did not begin or is completed',
  SLOW,
  async () => {
    const { workspace, one, two } = await twoStates();
    const began = performance.now();
    const id = uuidv7();
    await workspace.restore(id, one.tree, two.tree);
    const needed = performance.now() - began;
    const runs = process.env['CHATD_TEST_ALL'] === '1' ? 40 : 2;
    for (let run = 0; run < runs; run++) {
      workspace.fill('two');
      expect(await workspace.save()).toBe(two.tree);
      const restore = uuidv7();
      workspace.ask({ restore, target: one.tree, expected: two.tree });
      await setTimeout(Math.random() * needed);
      await workspace.kill();
      await workspace.open();
      const begun = readFileSync(join(workspace.store, 'restore.json'), 'utf8').includes(restore);
      expect(workspace.tree()).toEqual(begun ? one.files : two.files);
      expect(await workspace.restore(restore, one.tree, two.tree)).toEqual({ restored: true });
      expect(workspace.tree()).toEqual(one.files);
    }
  },
);

test(
  'a restore that did not begin before the kill is refused if files changed since',
  SLOW,
  async () => {
    const { workspace, one, two } = await twoStates();
    await workspace.kill();
    writeFileSync(workspace.at('by-hand'), 'kept');
    await workspace.open();
    const answer = await workspace.restore(uuidv7(), one.tree, two.tree);
    expect(answer).toEqual({ restored: false });
    rmSync(workspace.at('by-hand'));
    expect(workspace.tree()).toEqual(two.files);
  },
);

test(
  'a checkpoint that is killed at any point changes no files, and the next one is correct',
  SLOW,
  async () => {
    const { workspace, one, two } = await twoStates();
    const lock = () => existsSync(join(workspace.store, 'index.lock'));
    const index = () => lstatSync(join(workspace.store, 'index')).mtimeMs;
    let written = index();
    const points: Record<string, () => boolean> = {
      'a new index is written': lock,
      'the new index is in place': () => index() !== written,
    };
    const runs = process.env['CHATD_TEST_ALL'] === '1' ? 40 : 1;
    for (let run = 0; run < runs; run++) points[`after ${25 + run * 15} ms`] = () => true;
    for (const [point, isReached] of Object.entries(points)) {
      // Content that the store does not have yet.
      workspace.fill(`two`);
      writeFileSync(workspace.at('0/0'), `${point}\n`);
      writeFileSync(workspace.at('new'), randomUUID());
      const files = workspace.tree();
      written = index();
      workspace.ask({ save: uuidv7() });
      const delay = /\d+/.exec(point)?.[0];
      if (delay !== undefined) await setTimeout(Number(delay));
      await workspace.killWhen(isReached);
      await workspace.open();
      expect(workspace.tree(), point).toEqual(files);
      const present = await workspace.save();
      expect(await workspace.restore(uuidv7(), one.tree, present)).toEqual({ restored: true });
      expect(workspace.tree(), point).toEqual(one.files);
      expect(await workspace.restore(uuidv7(), present, one.tree)).toEqual({ restored: true });
      expect(workspace.tree(), point).toEqual(files);
      expect(await workspace.restore(uuidv7(), two.tree, present)).toEqual({ restored: true });
      expect(workspace.tree(), point).toEqual(two.files);
    }
    execFileSync('git', ['--git-dir', workspace.store, 'fsck', '--full', '--strict'], {
      stdio: 'pipe',
    });
  },
);
