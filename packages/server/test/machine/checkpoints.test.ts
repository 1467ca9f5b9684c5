import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { CheckpointStore } from '../../src/machine/checkpoints/checkpoint-store.ts';
import { MAX_FILE_BYTES } from '../../src/machine/checkpoints/folder-scan.ts';
import { agentAccount } from '../../src/machine/drivers/host/agent-account.ts';
import { directoriesOf, makeDirectories } from '../../src/machine/drivers/host/directories.ts';
import { allowTraversal } from '../../src/machine/drivers/host/allow-traversal.ts';
import { probeSandbox } from '../../src/machine/drivers/host/sandbox-probe.ts';
import { fileTree } from '../support/file-tree.ts';

const parent = await makeTemporaryDirectory();
const account = await agentAccount();
const support = await probeSandbox(account);
await allowTraversal([dirname(parent), parent], account);

class Folder {
  readonly root: string;
  readonly store: CheckpointStore;
  readonly storeFolder: string;

  constructor(directories: ReturnType<typeof directoriesOf>) {
    this.root = directories.files;
    this.storeFolder = directories.checkpoints;
    this.store = new CheckpointStore({ directories, account, support });
  }

  static async make(): Promise<Folder> {
    const directories = directoriesOf(parent, randomUUID());
    await makeDirectories(directories, account);
    return new Folder(directories);
  }

  at = (path: string) => join(this.root, path);

  write(path: string, content: string | Buffer): void {
    this.clear(path);
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  /** Makes room for a new entry: removes the old one, and any file in place of a parent folder. */
  clear(path: string): void {
    const parts = path.split('/');
    for (let length = 1; length <= parts.length; length++) {
      const at = this.at(parts.slice(0, length).join('/'));
      const found = lstatSync(at, { throwIfNoEntry: false });
      if (found && (length === parts.length || !found.isDirectory()))
        rmSync(at, { recursive: true });
    }
  }

  async save(): Promise<string> {
    // Only new entries: a changed owner counts as a change of the file.
    if (account !== undefined) {
      const give = ['-exec', 'chown', '-h', `${account.uid}:${account.gid}`, '{}', '+'];
      execFileSync('find', [this.root, '!', '-uid', String(account.uid), ...give]);
    }
    return (await this.store.save(randomUUID(), null)).tree;
  }

  async restore(tree: string): Promise<void> {
    const present = await this.save();
    if (!(await this.store.restore(randomUUID(), tree, present))) throw new Error('not restored');
  }

  tree = () => fileTree(this.root);
}

const name = fc.constantFrom(
  'a',
  'b',
  'sub/c',
  'sub/deep/d',
  'x y',
  '-n',
  'é',
  'back\\slash',
  'q"*',
  'line\nbreak',
);
const content = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('line\r\nline\n', '$Id$ \r\n', ''),
);
type Change = (folder: Folder) => void;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(name, content).map(
    ([path, text]): Change =>
      (folder) =>
        folder.write(path, text),
  ),
  fc.tuple(name, content).map(
    ([path, text]): Change =>
      (folder) =>
        folder.write(`${path}/in`, text),
  ),
  name.map(
    (path): Change =>
      (folder) =>
        rmSync(folder.at(path), { recursive: true, force: true }),
  ),
  name.map((path): Change => (folder) => {
    folder.clear(path);
    mkdirSync(folder.at(`${path}/empty/deeper`), { recursive: true });
  }),
  fc.tuple(name, name).map(([path, target]): Change => (folder) => {
    folder.clear(path);
    mkdirSync(dirname(folder.at(path)), { recursive: true });
    symlinkSync(target, folder.at(path));
  }),
  fc
    .tuple(name, fc.constantFrom(0o755, 0o644, 0o600, 0o700, 0o444, 0o400, 0o777, 0o000))
    .map(([path, mode]): Change => (folder) => {
      if (lstatSync(folder.at(path), { throwIfNoEntry: false })?.isFile() === true)
        chmodSync(folder.at(path), mode);
    }),
  fc.tuple(name, name).map(([from, to]): Change => (folder) => {
    if (
      !existsSync(folder.at(from)) ||
      `${to}/`.startsWith(`${from}/`) ||
      `${from}/`.startsWith(`${to}/`)
    )
      return;
    folder.clear(to);
    mkdirSync(dirname(folder.at(to)), { recursive: true });
    if (existsSync(folder.at(from))) renameSync(folder.at(from), folder.at(to));
  }),
  fc.constant<Change>((folder) =>
    folder.write(
      '.gitattributes',
      '* text=auto eol=crlf ident\n*.x filter=lfs working-tree-encoding=UTF-16\n',
    ),
  ),
);

const RUNS = process.env['CHATD_TEST_ALL'] === '1' ? 60 : 3;

it('restores the exact tree of any checkpoint', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 4 }),
      async (states) => {
        const folder = await Folder.make();
        const saved: { tree: string; content: Record<string, string> }[] = [];
        for (const changes of states) {
          for (const apply of changes) apply(folder);
          saved.push({ tree: await folder.save(), content: folder.tree() });
        }
        for (const { tree, content: expected } of saved) {
          await folder.restore(tree);
          expect(folder.tree()).toEqual(expected);
        }
        rmSync(dirname(folder.root), { recursive: true, force: true });
      },
    ),
    { numRuns: RUNS },
  );
});

it('records nested repositories without their .git folders, and leaves out excluded files', async () => {
  const folder = await Folder.make();
  folder.write('repository/src/a', 'a');
  folder.write('repository/.gitignore', '*.log\n');
  folder.write('repository/debug.log', 'ignored');
  folder.write('node_modules/package/index.js', 'left out');
  folder.write('large', '');
  truncateSync(folder.at('large'), MAX_FILE_BYTES + 1);
  execFileSync('git', ['init', '--quiet', folder.at('repository')]);
  const first = await folder.save();
  folder.write('repository/src/a', 'changed');
  folder.write('repository/debug.log', 'newer');
  folder.write('node_modules/package/index.js', 'newer');
  const { tree, changes, tooLarge } = await folder.store.save(randomUUID(), first);
  expect(tooLarge).toEqual(['large']);
  expect(changes?.split('\0').filter((field) => field.includes('repository'))).toHaveLength(2);
  expect(changes).not.toMatch(/\.git\/|node_modules|debug\.log|large/);
  await folder.restore(first);
  expect(readFileSync(folder.at('repository/src/a'), 'utf8')).toBe('a');
  expect(readFileSync(folder.at('repository/debug.log'), 'utf8')).toBe('newer');
  expect(readFileSync(folder.at('node_modules/package/index.js'), 'utf8')).toBe('newer');
  expect(existsSync(folder.at('repository/.git/HEAD'))).toBe(true);
  expect((await folder.store.diff(first, tree)).patch).toContain('-a\n');
});

it('names files that a restore would lose: those changed since the last checkpoint, and unrecorded ones', async () => {
  const folder = await Folder.make();
  folder.write('mine', '1');
  folder.write('theirs', '1');
  folder.write('grows', '1');
  const first = await folder.save();
  folder.write('mine', '2');
  folder.write('theirs', '2');
  const last = await folder.save();
  folder.write('theirs', 'by hand');
  folder.write('new', 'by hand');
  truncateSync(folder.at('grows'), MAX_FILE_BYTES + 1);
  const present = await folder.save();
  const conflicts = await folder.store.conflicts({ last, present, target: first });
  expect([...conflicts].sort()).toEqual(['grows', 'new', 'theirs']);
  folder.write('mine', 'again');
  expect(await folder.store.restore(randomUUID(), first, present)).toBe(false);
  expect(readFileSync(folder.at('mine'), 'utf8')).toBe('again');
});

it('continues after a kill: with a lock, a damaged index, and a half-restored workspace', async () => {
  const folder = await Folder.make();
  for (let index = 0; index < 20; index++) folder.write(`file-${index}`, 'one');
  const one = await folder.save();
  const content = folder.tree();
  for (let index = 0; index < 20; index++) folder.write(`file-${index}`, 'two');
  await folder.save();
  writeFileSync(join(folder.storeFolder, 'index.lock'), '');
  for (let index = 0; index < 10; index++) folder.write(`file-${index}`, 'one');
  await folder.restore(one);
  expect(folder.tree()).toEqual(content);
  writeFileSync(join(folder.storeFolder, 'index'), 'damaged');
  expect(await folder.save()).toBe(one);
});

it('writes only changed files, and nothing if nothing changed', async () => {
  const folder = await Folder.make();
  for (let index = 0; index < 600; index++) folder.write(`${index % 20}/${index}`, `file ${index}`);
  const first = await folder.save();
  const objects = () =>
    execFileSync('find', [join(folder.storeFolder, 'objects'), '-type', 'f'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  const before = objects();
  const index = statSync(join(folder.storeFolder, 'index')).mtimeMs;
  expect(await folder.save()).toBe(first);
  expect(objects()).toEqual(before);
  expect(statSync(join(folder.storeFolder, 'index')).mtimeMs).toBe(index);
  for (const path of ['0/0', '1/1', '2/2']) folder.write(path, `changed ${path}`);
  const second = await folder.save();
  // Three files, their three folders, the root, and the record.
  expect(objects().length - before.length).toBe(8);
  const removed = randomUUID();
  await folder.store.save(removed, null);
  await folder.store.prune({ keep: [], remove: [removed], before: 0 });
  await folder.restore(first);
  await folder.restore(second);
  expect(readFileSync(folder.at('2/2'), 'utf8')).toBe('changed 2/2');
});

it('keeps the files of a record when another record of the same tree is removed', async () => {
  const folder = await Folder.make();
  folder.write('a', '1');
  const [one, two] = [randomUUID(), randomUUID()];
  const { tree } = await folder.store.save(one, null);
  expect((await folder.store.save(two, tree)).changes).toBe('');
  folder.write('a', '2');
  await folder.save();
  await folder.store.prune({ keep: [two], remove: [one], before: 0 });
  await folder.restore(tree);
  expect(folder.tree()).toEqual({ a: '644 1' });
});

it('names files that block a restore, but not those that the restore itself replaces', async () => {
  const folder = await Folder.make();
  folder.write('was-file', '1');
  folder.write('was-folder/in', '1');
  folder.write('hidden/in', '1');
  folder.write('holds', '1');
  const first = await folder.save();
  folder.write('.gitignore', 'hidden\n*.log\n');
  folder.write('was-file/in', '2');
  folder.clear('was-folder');
  symlinkSync('was-file', folder.at('was-folder'));
  rmSync(folder.at('hidden'), { recursive: true });
  folder.write('hidden', 'ignored, instead of a folder');
  folder.write('holds/in', '2');
  folder.write('holds/debug.log', 'ignored, in a folder instead of a file');
  const present = await folder.save();
  const conflicts = await folder.store.conflicts({ last: present, present, target: first });
  expect([...conflicts].sort()).toEqual(['hidden', 'holds']);
});

it('keeps files that the target could not contain: ignored and large ones', async () => {
  const folder = await Folder.make();
  folder.write('.gitignore', '*.log\n');
  folder.write('debug.log', 'ignored');
  folder.write('data', '');
  truncateSync(folder.at('data'), MAX_FILE_BYTES + 1);
  const first = await folder.save();
  rmSync(folder.at('.gitignore'));
  folder.write('data', 'small');
  folder.write('new/file', 'new');
  await folder.save();
  await folder.restore(first);
  expect(folder.tree()).toEqual({
    '.gitignore': '644 *.log\n',
    'debug.log': '644 ignored',
    data: '644 small',
  });
});

it('refuses a restore if a file changes between the check and the first write', async () => {
  const folder = await Folder.make();
  folder.write('a', '1');
  folder.write('b', '1');
  const first = await folder.save();
  folder.write('a', '2');
  folder.write('b', '2');
  const present = await folder.save();
  // The journal is written after the check, and before the first write.
  const journal = join(folder.storeFolder, 'restore.json.new');
  const watching = watch(folder.storeFolder, (_, name) => {
    if (name === 'restore.json.new' && existsSync(journal)) folder.write('b', 'by hand');
  });
  const isRestored = await folder.store.restore(randomUUID(), first, present);
  watching.close();
  expect(isRestored).toBe(false);
  expect(folder.tree()).toEqual({ a: '644 2', b: '644 by hand' });
});

it('replaces a link with an empty folder', async () => {
  const folder = await Folder.make();
  mkdirSync(folder.at('a/empty'), { recursive: true });
  const first = await folder.save();
  folder.clear('a');
  symlinkSync('a', folder.at('a'));
  await folder.save();
  await folder.restore(first);
  expect(folder.tree()).toEqual({ a: 'folder', 'a/empty': 'folder' });
});

it('gives the same files the same record, regardless of permission changes in between', async () => {
  const folder = await Folder.make();
  folder.write('a', '1');
  const first = await folder.save();
  chmodSync(folder.at('a'), 0o600);
  const second = await folder.save();
  expect(second).not.toBe(first);
  await folder.restore(first);
  expect(folder.tree()).toEqual({ a: '644 1' });
  expect(await folder.save()).toBe(first);
  await folder.restore(second);
  expect(folder.tree()).toEqual({ a: '600 1' });
});

it('gives concurrent checkpoints the same state, with the changes since the base of each', async () => {
  const folder = await Folder.make();
  folder.write('a', 'first');
  const base = await folder.save();
  folder.write('b', 'second');
  const other = await folder.save();
  folder.write('c', 'third');
  const bases = [null, base, other, base, null];
  const ids = bases.map(() => randomUUID());
  const saved = await Promise.all(ids.map((id, at) => folder.store.save(id, bases[at] ?? null)));
  const alone = [];
  for (const from of bases) alone.push(await folder.store.save(randomUUID(), from));
  expect(saved).toEqual(alone);
  // Each has a record of its own, which keeps the content.
  await folder.store.prune({ keep: [ids[3] ?? ''], remove: [], before: Number.MAX_SAFE_INTEGER });
  folder.write('c', 'fourth');
  await folder.restore(saved[3]?.tree ?? '');
  expect(readFileSync(folder.at('c'), 'utf8')).toBe('third');
});

it('records what a restore has written, if the checkpoint was requested after it', async () => {
  const folder = await Folder.make();
  folder.write('a', 'first');
  const target = await folder.save();
  folder.write('a', 'second');
  const present = await folder.save();
  const [before, isRestored, after] = await Promise.all([
    folder.store.save(randomUUID(), null),
    folder.store.restore(randomUUID(), target, present),
    folder.store.save(randomUUID(), null),
  ]);
  expect([before.tree, isRestored, after.tree]).toEqual([present, true, target]);
});

it('records files again after their only record was removed', async () => {
  const folder = await Folder.make();
  folder.write('a', '1');
  mkdirSync(folder.at('empty'));
  const id = randomUUID();
  await folder.store.save(id, null);
  await folder.store.prune({ keep: [], remove: [id], before: 0 });
  const tree = await folder.save();
  folder.write('a', '2');
  await folder.restore(tree);
  expect(folder.tree()).toEqual({ a: '644 1', empty: 'folder' });
});

it('ignores the configuration of a repository in the workspace, and follows no link out of it', async () => {
  const folder = await Folder.make();
  const outside = join(dirname(folder.root), 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  execFileSync('git', ['init', '--quiet', folder.root]);
  const ran = folder.at('ran');
  const config = ['config', '--file', folder.at('.git/config')];
  for (const [name, value] of [
    ['core.fsmonitor', `touch ${ran}`],
    ['core.hooksPath', folder.at('hooks')],
    ['core.fileMode', 'false'],
    ['core.autocrlf', 'true'],
    ['filter.evil.clean', `touch ${ran}; cat`],
    ['filter.evil.smudge', `touch ${ran}; cat`],
    ['filter.evil.process', `touch ${ran}`],
  ])
    execFileSync('git', [...config, name ?? '', value ?? '']);
  folder.write('.gitattributes', '* filter=evil text eol=crlf\n');
  folder.write('hooks/post-checkout', `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(folder.at('hooks/post-checkout'), 0o755);
  folder.write('text', 'a\r\nb\n');
  symlinkSync(outside, folder.at('link'));
  mkdirSync(folder.at('nested'));
  symlinkSync(outside, folder.at('nested/.git'));
  const first = await folder.save();
  const content = folder.tree();
  expect(content['link']).toBe(`-> ${outside}`);
  folder.write('text', 'changed');
  folder.clear('link');
  folder.write('link/secret', 'mine');
  const second = await folder.save();
  await folder.restore(first);
  expect(folder.tree()).toEqual(content);
  await folder.restore(second);
  expect(readFileSync(folder.at('link/secret'), 'utf8')).toBe('mine');
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  const patch = (await folder.store.diff(first, second)).patch;
  expect(patch).not.toContain('+secret');
  expect(existsSync(ran)).toBe(false);
});
