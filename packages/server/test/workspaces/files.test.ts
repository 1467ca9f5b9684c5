import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';

const directory = await makeTemporaryDirectory();
const dataDir = join(directory, 'data');
await mkdir(dataDir);
afterAll(() => rm(directory, { recursive: true, force: true }));
const server = await startTestServer({
  dataDir,
  workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
});
const { owner, stranger } = server;

const params = { workspace_id: await readyWorkspace(owner) };
/** The path on the machine. */
const files = join(dataDir, 'workspaces', params.workspace_id, 'files');
const secret = join(directory, 'secret.txt');
await writeFile(secret, 'not for agents\n');
await mkdir(join(files, 'src/deep'), { recursive: true });
await writeFile(join(files, 'src/chat-stream.ts'), 'export const x = 1;\n');
await writeFile(join(files, 'src/deep/naïve file.txt'), 'ü\n');
await writeFile(join(files, 'page.html'), '<script>alert(1)</script>');
await writeFile(join(files, 'picture.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
await writeFile(join(files, 'picture'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
await writeFile(join(files, 'binary'), Buffer.from([1, 0, 2, 3]));
await writeFile(join(files, 'empty'), '');
await writeFile(join(files, 'large'), 'x');
await truncate(join(files, 'large'), 11 * 1024 * 1024);
await utimes(join(files, 'empty'), 1_700_000_000, 1_700_000_000);
await symlink('/etc/passwd', join(files, 'leads-out'));
await symlink('/usr', join(files, 'folder-out'));
await symlink(secret, join(files, 'to-the-machine'));
await symlink('src', join(files, 'leads-in'));
// The files must belong to the account of the agents.
await promisify(execFile)('chown', ['-R', '--reference', files, files]);

const list = (path?: string) =>
  owner.ok('listWorkspaceFiles', { params, ...(path !== undefined && { query: { path } }) });
const read = (path: string) => owner.call('getWorkspaceFile', { params, query: { path } });
const search = async (q: string, limit = 50) =>
  (await owner.ok('searchWorkspaceFiles', { params, query: { q, limit } })).paths;

test('a folder is listed with its entries', async () => {
  const { path, entries, more } = await list();
  expect({ path, more }).toEqual({ path: '.', more: false });
  const found = new Map(entries.map((entry) => [entry.name, entry]));
  expect(found.get('src')).toMatchObject({ type: 'directory' });
  expect(found.get('empty')).toEqual({
    name: 'empty',
    type: 'file',
    size: 0,
    modified_at: '2023-11-14T22:13:20.000Z',
  });
  expect(found.get('large')).toMatchObject({ type: 'file', size: 11 * 1024 * 1024 });
  expect(found.get('leads-out')).toMatchObject({ type: 'link' });
  expect(await list('src')).toMatchObject({
    path: 'src',
    entries: [{ name: 'chat-stream.ts' }, { name: 'deep' }],
  });
  expect(await list('leads-in/deep')).toMatchObject({ entries: [{ name: 'naïve file.txt' }] });
});

test('a file is returned unchanged', async () => {
  const text = await read('src/deep/naïve file.txt');
  expect(text.text).toBe('ü\n');
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text.headers.get('x-file-size')).toBe('3');
  expect((await read('empty')).text).toBe('');
});

test('only the beginning of a very large file is returned', async () => {
  const large = await read('large');
  expect(large.text).toHaveLength(10 * 1024 * 1024);
  expect(large.headers.get('x-file-size')).toBe(String(11 * 1024 * 1024));
});

test.each([
  ['page.html', 'text/plain; charset=utf-8'],
  ['picture.svg', 'text/plain; charset=utf-8'],
  ['picture', 'image/png'],
  ['binary', 'application/octet-stream'],
])('%s is served as %s, and scripts in it cannot run', async (path, type) => {
  const { headers } = await read(path);
  expect(headers.get('content-type')).toBe(type);
  expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  expect(headers.get('content-disposition')).toContain(`attachment; filename="${path}"`);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['..', '400 path_outside'],
  ['../../secret.txt', '400 path_outside'],
  ['src/../../x', '400 path_outside'],
  ['/etc/passwd', '400 path_outside'],
  ['leads-out', '400 path_outside'],
  ['folder-out/bin/env', '400 path_outside'],
  ['to-the-machine', '404 path_not_found'],
  ['%2e%2e/secret.txt', '404 path_not_found'],
  ['missing', '404 path_not_found'],
  ['src', '400 not_a_file'],
  ['empty/x', '400 not_a_folder'],
])('%s is refused: %s', async (path, refusal) => {
  expect(await owner.refusal('getWorkspaceFile', { params, query: { path } })).toBe(refusal);
});

test('folders outside the workspace and paths that are not folders cannot be listed', async () => {
  for (const [path, refusal] of [
    ['folder-out', '400 path_outside'],
    ['..', '400 path_outside'],
    ['/', '400 path_outside'],
    ['empty', '400 not_a_folder'],
    ['missing', '404 path_not_found'],
  ] as const) {
    expect(await owner.refusal('listWorkspaceFiles', { params, query: { path } }), path).toBe(
      refusal,
    );
  }
});

test('files are found by parts of their names, except for ignored ones', async () => {
  expect(await search('chstr')).toEqual(['src/chat-stream.ts']);
  expect(await search('naïve')).toEqual(['src/deep/naïve file.txt']);
  expect(await search('', 2)).toHaveLength(2);
  await mkdir(join(files, 'built'));
  await writeFile(join(files, 'built/chat-stream.js'), '');
  await writeFile(join(files, '.gitignore'), 'built/\n');
  await promisify(execFile)('chown', ['-R', '--reference', files, files]);
  // The file list may be some seconds old.
  await eventually(async () => expect(await search('gitig')).toEqual(['.gitignore']));
  expect(await search('stream')).toEqual(['src/chat-stream.ts']);
});

const BYTES = { 'content-type': 'application/octet-stream' };
const write = (path: string, content: string, if_version?: string) => ({
  params,
  query: { path, ...(if_version !== undefined && { if_version }) },
  raw: content,
  headers: BYTES,
});
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('a file is written only over the version that was read', async () => {
  const made = await owner.ok('writeWorkspaceFile', write('new/folder/notes.txt', 'one', 'none'));
  expect(made).toEqual({ path: 'new/folder/notes.txt', size: 3, version: sha256('one') });
  const seen = await read('new/folder/notes.txt');
  expect(seen.headers.get('x-file-version')).toBe(made.version);
  await owner.ok('writeWorkspaceFile', write('new/folder/notes.txt', 'two', made.version));
  // Another client still has the first version.
  for (const version of [made.version, 'none']) {
    const late = write('new/folder/notes.txt', 'three', version);
    expect(await owner.refusal('writeWorkspaceFile', late)).toBe('409 file_changed');
  }
  // A repeated request succeeds: the file already has its content.
  await owner.ok('writeWorkspaceFile', write('new/folder/notes.txt', 'two', made.version));
  expect(await readFile(join(files, 'new/folder/notes.txt'), 'utf8')).toBe('two');
  await rm(join(files, 'new/folder/notes.txt'));
  const deleted = write('new/folder/notes.txt', 'three', sha256('two'));
  expect(await owner.refusal('writeWorkspaceFile', deleted)).toBe('409 file_changed');
  await owner.ok('writeWorkspaceFile', write('new/folder/notes.txt', 'any'));
  expect((await read('new/folder/notes.txt')).text).toBe('any');
});

test.each([
  ['../out', '400 path_outside'],
  ['folder-out/share/x', '400 path_outside'],
  ['leads-out', '400 path_outside'],
  ['to-the-machine', '404 path_not_found'],
  ['src', '400 not_a_file'],
  ['empty/x', '400 not_a_folder'],
])('writing %s is refused', async (path, refusal) => {
  expect(await owner.refusal('writeWorkspaceFile', write(path, 'x'))).toBe(refusal);
  expect(await readFile(secret, 'utf8')).toBe('not for agents\n');
});

test('files of any size and folders can be downloaded', async () => {
  const download = async (path: string) => {
    const url = `${owner.url}/api/v1/workspaces/${params.workspace_id}/files/download?path=${path}`;
    const response = await fetch(url, { headers: owner.headers });
    return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const large = await download('large');
  expect(large.bytes).toHaveLength(11 * 1024 * 1024);
  const src = await download('src');
  expect(src.headers.get('content-disposition')).toContain('filename="src.zip"');
  expect(src.headers.get('content-security-policy')).toMatch(/^sandbox;/);
  const archive = join(directory, 'src.zip');
  await writeFile(archive, src.bytes);
  const { stdout } = await promisify(execFile)('python3', ['-c', LISTED, archive]);
  expect(JSON.parse(stdout)).toEqual({
    'chat-stream.ts': 'export const x = 1;\n',
    'deep/': '',
    'deep/naïve file.txt': 'ü\n',
  });
  // Links are left out, wherever they lead.
  const all = (await download('.')).bytes.toString('latin1');
  expect(all).toContain('page.html');
  expect(all).not.toMatch(/leads-out|to-the-machine/);
  expect(
    await owner.refusal('downloadWorkspaceFiles', { params, query: { path: 'missing' } }),
  ).toBe('404 path_not_found');
});

/** Checks the checksums of all members. */
const LISTED = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))
`;

test('a stopped workspace shows its files, a deleted one does not', async () => {
  await owner.ok('stopWorkspace', { params });
  expect((await read('src/chat-stream.ts')).text).toContain('export');
  expect(await list('src')).toMatchObject({ path: 'src' });
  expect(await owner.ok('getWorkspace', { params })).toMatchObject({ status: 'stopped' });
  await owner.ok('deleteWorkspace', { params });
  expect(await owner.refusal('listWorkspaceFiles', { params })).toMatch(/^(404|409) /);
});

test("another user's files are not found", async () => {
  for (const name of ['listWorkspaceFiles', 'getWorkspaceFile', 'searchWorkspaceFiles'] as const) {
    const query = name === 'searchWorkspaceFiles' ? { q: '' } : { path: 'empty' };
    expect(await stranger.refusal(name, { params, query })).toBe('404 not_found');
  }
});
