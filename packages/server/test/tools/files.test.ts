import { symlink, truncate, writeFile as writeOutside } from 'node:fs/promises';
import { join } from 'node:path';
import { Media } from '@chatd/loop';
import { expect, test } from 'vitest';
import { SandboxClosed } from '../../src/machine/drivers/driver.ts';
import type { HostedWorkspace } from '../../src/machine/machine.ts';
import { editFiles } from '../../src/tools/files/edit-files.ts';
import { listFiles } from '../../src/tools/files/list-files.ts';
import { readFile } from '../../src/tools/files/read-file.ts';
import { searchFiles } from '../../src/tools/files/search-files.ts';
import { writeFile } from '../../src/tools/files/write-file.ts';
import { TestMachine } from '../workspaces/sandboxes.ts';
import { call, deskFor, refusal, text } from './workspace-handle.ts';

const machine = await TestMachine.start();
const sandbox = await machine.open();
const handle = deskFor(sandbox);
const read = readFile(handle);
const write = writeFile(handle);
const edit = editFiles(handle);
const list = listFiles(handle);
const search = searchFiles(handle);

const lines = (count: number, line = (n: number) => `line ${n}`) =>
  Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join('');

test('a file is read with line numbers', async () => {
  await sandbox.write('a.txt', 'one\ntwo\nthree\n');
  expect(await call(read, { path: 'a.txt' })).toBe('     1\tone\n     2\ttwo\n     3\tthree');
  expect(await call(read, { path: '/workspace/a.txt', offset: 2, limit: 1 })).toBe(
    '     2\ttwo\n[lines 2 to 2; to read more, use offset 3]',
  );
});

test('the last line needs no line ending', async () => {
  await sandbox.write('open.txt', 'one\r\ntwo');
  expect(await call(read, { path: 'open.txt' })).toBe('     1\tone\n     2\ttwo');
});

test('a read returns at most 2,000 lines or 32 KiB', async () => {
  await sandbox.write('many.txt', lines(3000));
  expect(await call(read, { path: 'many.txt' })).toMatch(
    /2000\tline 2000\n\[lines 1 to 2000; to read more, use offset 2001\]$/,
  );
  await sandbox.write(
    'wide.txt',
    lines(200, () => 'x'.repeat(1000)),
  );
  const wide = await text(read, { path: 'wide.txt' });
  expect(Buffer.byteLength(wide)).toBeLessThan(34 * 1024);
  expect(wide).toMatch(/\[lines 1 to 32; to read more, use offset 33\]$/);
});

test('a long line is truncated', async () => {
  await sandbox.write('long.txt', `${'ä'.repeat(500_000)}\nnext\n`);
  expect(await text(read, { path: 'long.txt' })).toBe(
    `     1\t${'ä'.repeat(2000)}… [line truncated]\n     2\tnext`,
  );
});

test('a read can start far inside a large file', async () => {
  await sandbox.write('large.txt', lines(200_000));
  expect(await call(read, { path: 'large.txt', offset: 150_000, limit: 1 })).toContain(
    '150000\tline 150000',
  );
  expect(await refusal(read, { path: 'large.txt', offset: 300_000 })).toBe(
    'The file has only 200000 lines; line 300000 does not exist.',
  );
});

test('binary files are detected, and images are returned as images', async () => {
  await sandbox.sandbox.files.write(sandbox.path('data.bin'), Buffer.from([1, 2, 0, 3]));
  expect(await call(read, { path: 'data.bin' })).toContain('is a binary file of 4 bytes');
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  await sandbox.sandbox.files.write(sandbox.path('picture.txt'), png);
  const image = await call(read, { path: 'picture.txt' });
  expect(image).toBeInstanceOf(Media);
  expect((image as Media).files).toEqual([
    { data: png, media_type: 'image/png', name: 'picture.txt' },
  ]);
  await writeOutside(join(sandbox.folder, 'huge.png'), png);
  await truncate(join(sandbox.folder, 'huge.png'), 6_000_000);
  expect(((await call(read, { path: 'huge.png' })) as Media).files[0]?.data).toHaveLength(
    6_000_000,
  );
  await truncate(join(sandbox.folder, 'huge.png'), 11_000_000);
  expect(await call(read, { path: 'huge.png' })).toContain('exceeds the limit of 10485760 bytes');
});

test('invalid UTF-8 in a text is replaced', async () => {
  await sandbox.sandbox.files.write(
    sandbox.path('odd.txt'),
    Buffer.from('caf\xe9 and more text\n', 'latin1'),
  );
  expect(await call(read, { path: 'odd.txt' })).toBe('     1\tcaf\uFFFD and more text');
});

test.each([
  ['../outside.txt', 'is outside the workspace'],
  ['/etc/passwd', 'is outside the workspace'],
  ['a/../../etc/passwd', 'is outside the workspace'],
  ['none.txt', 'does not exist'],
  ['nul\0.txt', 'NUL'],
  ['%2e%2e/etc/passwd', 'does not exist'],
  ['to-root', 'is outside the workspace'],
  ['to-root/etc/passwd', 'is outside the workspace'],
])('%j cannot be read or written', async (path, why) => {
  await symlink('/', join(sandbox.folder, 'to-root')).catch(() => undefined);
  expect(await refusal(read, { path })).toContain(why);
  if (why === 'does not exist') return;
  expect(await refusal(write, { path, content: 'x' })).toMatch(/outside|NUL|folder/);
  expect(
    await refusal(edit, { files: [{ path, edits: [{ old_text: '', new_text: 'x' }] }] }),
  ).toMatch(/outside|NUL|folder/);
});

test('a write creates missing parent folders', async () => {
  const args = { path: 'deep/down/new.txt', content: 'hello\n' };
  expect(await call(write, args)).toBe('Wrote 6 bytes to deep/down/new.txt (a new file).');
  expect(await call(write, args)).toBe('Wrote 6 bytes to deep/down/new.txt (replaced).');
  expect(await sandbox.read('deep/down/new.txt')).toBe('hello\n');
  expect(await refusal(write, { path: 'deep/down', content: 'x' })).toContain('is a folder');
  expect(await refusal(write, { path: 'deep/down/new.txt/x', content: 'x' })).toContain(
    'is a file',
  );
});

test('permissions and links of a file survive a write', async () => {
  await sandbox.write('run.sh', 'old');
  await sandbox.sh('chmod 755 run.sh; ln -sfn run.sh also-run.sh');
  await call(write, { path: 'also-run.sh', content: 'new' });
  const { output } = await sandbox.sh('stat -c "%a %F" run.sh also-run.sh; cat run.sh');
  expect(output).toBe('755 regular file\n777 symbolic link\nnew');
});

test('edits in several files are applied together and shown as a diff', async () => {
  await sandbox.write('x.txt', 'a\nb\nc\n');
  await sandbox.write('y.txt', 'one\n    two\n');
  const diff = await call(edit, {
    files: [
      { path: 'x.txt', edits: [{ old_text: 'b', new_text: 'B' }] },
      { path: 'y.txt', edits: [{ old_text: 'two  ', new_text: 'TWO' }] },
      { path: 'z.txt', edits: [{ old_text: '', new_text: 'new\n' }] },
    ],
  });
  expect(diff).toBe(
    '--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n' +
      '--- a/y.txt\n+++ b/y.txt\n@@ -1,2 +1,2 @@\n one\n-    two\n+    TWO\n' +
      '--- /dev/null\n+++ b/z.txt\n@@ -0,0 +1,1 @@\n+new\n',
  );
  expect(await sandbox.read('y.txt')).toBe('one\n    TWO\n');
});

test('if one edit does not match, nothing is changed', async () => {
  await sandbox.write('good.txt', 'good\n');
  await sandbox.write('bad.txt', 'function add(a, b)\n');
  const message = await refusal(edit, {
    files: [
      { path: 'good.txt', edits: [{ old_text: 'good', new_text: 'better' }] },
      { path: 'bad.txt', edits: [{ old_text: 'function add(x, y)', new_text: 'z' }] },
      { path: 'gone.txt', edits: [{ old_text: 'a', new_text: 'b' }] },
    ],
  });
  expect(message).toContain('Nothing was changed.');
  expect(message).toContain('bad.txt, edit 1: old_text was not found. Most similar text:\nline 1:');
  expect(message).toContain('gone.txt, edit 1: the file does not exist');
  expect(await sandbox.read('good.txt')).toBe('good\n');
});

test('if one file cannot be written, earlier ones are restored', async () => {
  await sandbox.write('first.txt', 'a\n');
  await sandbox.sh('mkdir -p locked && echo a > locked/second.txt && chmod 555 locked');
  const message = await refusal(edit, {
    files: ['first.txt', 'locked/second.txt'].map((path) => ({
      path,
      edits: [{ old_text: 'a', new_text: 'b' }],
    })),
  });
  expect(message).toContain('Nothing was changed.');
  expect(await sandbox.read('first.txt')).toBe('a\n');
});

test('a file that is not UTF-8 text cannot be edited', async () => {
  await sandbox.sandbox.files.write(sandbox.path('latin.txt'), Buffer.from('caf\xe9\n', 'latin1'));
  const edits = [{ old_text: 'caf', new_text: 'x' }];
  expect(await refusal(edit, { files: [{ path: 'latin.txt', edits }] })).toContain(
    'not UTF-8 text',
  );
});

test('folders are listed without the content of node_modules', async () => {
  await sandbox.sh(
    'mkdir -p tree/sub/deeper tree/node_modules/p; touch tree/f tree/sub/g tree/sub/deeper/h tree/node_modules/p/x; ln -sfn f tree/l',
  );
  expect(await call(list, { path: 'tree' })).toBe(
    'f (0 bytes)\nl (link)\nnode_modules/\nsub/\nsub/deeper/\nsub/g (0 bytes)',
  );
  expect(await call(list, { path: 'tree', depth: 3 })).toContain('sub/deeper/h');
  expect(await refusal(list, { path: 'tree/f' })).toContain('is a file');
  expect(await refusal(list, { path: 'none' })).toContain('does not exist');
});

test.each(['ripgrep', 'grep'])('files are searched with %s', async (program) => {
  const hidden = await machine.open({
    // A PATH without rg.
    ...(program === 'grep' && { env: { PATH: '/workspace/bin' } }),
  });
  if (program === 'grep') {
    await hidden.sandbox
      .run({
        argv: [
          '/bin/sh',
          '-c',
          '/bin/mkdir bin; for p in grep sh; do /bin/ln -s /bin/$p bin/$p; done',
        ],
        onOutput: () => undefined,
      })
      .then(({ exit }) => exit);
  }
  const tool = searchFiles(deskFor(hidden));
  await hidden.write('src/a.ts', 'const needle = 1;\nNEEDLE\n');
  await hidden.write('src/b.js', 'a.needle()\n');
  await hidden.write('.hidden/c.ts', 'needle\n');
  await hidden.write('.git/config', 'needle\n');
  const found = (await text(tool, { pattern: 'needle', glob: '*.ts' })).split('\n');
  expect(found.sort()).toEqual(['.hidden/c.ts:1:needle', 'src/a.ts:1:const needle = 1;']);
  expect(await call(tool, { pattern: 'needle', path: 'src', files_only: true, glob: '*.js' })).toBe(
    'src/b.js',
  );
  const any = await text(tool, { pattern: 'needle$', ignore_case: true, path: 'src' });
  expect(any).toBe('src/a.ts:2:NEEDLE');
  expect(await call(tool, { pattern: 'a.needle()', literal: true })).toBe('src/b.js:1:a.needle()');
  expect(await call(tool, { pattern: 'nowhere' })).toBe('No matches.');
  expect(await refusal(tool, { pattern: '(' })).toContain('The search failed');
  expect(await refusal(tool, { pattern: 'x', path: 'none' })).toContain('none does not exist');
});

test('a search with too many matches is stopped', async () => {
  await sandbox.write('matches.txt', lines(100_000));
  const found = await text(search, { pattern: 'line', path: 'matches.txt' });
  expect(found.split('\n')).toHaveLength(501);
  expect(found).toMatch(/\[truncated to 500 matches: narrow the search\]$/);
});

test('edits that another attempt has made or is making return its result', async () => {
  await sandbox.write('twice.txt', 'one\n');
  const open = await handle.use({ signal: new AbortController().signal, publish: () => undefined });
  const restarting: HostedWorkspace = {
    ...open,
    async writeAll(...args) {
      await open.writeAll(...args);
      throw new SandboxClosed('the machine restarted');
    },
  };
  const uses = [restarting, open];
  const args = { files: [{ path: 'twice.txt', edits: [{ old_text: 'one', new_text: 'two' }] }] };
  const after = editFiles({ ...handle, use: async () => uses.shift() ?? open });
  expect(await text(after, args)).toContain('+two');

  const writing: HostedWorkspace = {
    ...open,
    outcome: async () => ({ state: 'running' }),
    writeAll: async () => 'its diff',
  };
  expect(await text(editFiles({ ...handle, use: async () => writing }), args)).toBe('its diff');
});
