import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ArchiveWriter } from '../../src/backup/archive-writer.ts';
import { readArchive } from '../../src/backup/archive-reader.ts';
import { verifyBackup } from '../../src/backup/verify-backup.ts';
import { packWorkspaces, unpackOne } from '../../src/backup/workspace-files.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { TestMachine, type TestBox } from '../workspaces/sandboxes.ts';

const run = promisify(execFile);
const SECRET = `secret-${randomUUID()}`;

const MANIFEST = {
  format: 'chatd-backup',
  format_version: 1,
  created_at: '2026-01-01T00:00:00Z',
  chatd_version: '0',
  postgres_version: '17',
  schema_version: 1,
  migrations: [],
  tables: [],
  secret_key: false,
  workspaces: true,
};

interface Packed {
  readonly file: string;
  readonly count: number;
  readonly problems: readonly string[];
}

async function pack(machine: TestMachine, maxWorkspaceBytes?: number): Promise<Packed> {
  const file = join(await makeTemporaryDirectory(), 'backup');
  const archive = new ArchiveWriter(createWriteStream(file));
  const problems: string[] = [];
  await archive.json('manifest.json', MANIFEST);
  const count = await packWorkspaces(join(machine.directory, 'workspaces'), archive, {
    onProblem: (line) => problems.push(line),
    ...(maxWorkspaceBytes !== undefined && { maxWorkspaceBytes }),
  });
  await archive.json('end.json', {});
  await archive.close();
  return { file, count, problems };
}

/** Restores the workspaces of a backup. Returns their folder. */
async function unpack(file: string): Promise<string> {
  const directory = join(await makeTemporaryDirectory(), 'data', 'workspaces');
  for await (const entry of readArchive(createReadStream(file))) {
    if (entry.header.name.startsWith('workspaces/')) await unpackOne(entry, directory);
    else await new Response(entry.body).arrayBuffer();
  }
  return directory;
}

async function machineWith(
  prepare: string,
): Promise<{ machine: TestMachine; sandbox: TestBox; id: string }> {
  const machine = await TestMachine.start();
  const sandbox = await machine.open();
  const { code, output } = await sandbox.sh(prepare);
  expect(code, output).toBe(0);
  return { machine, sandbox, id: sandbox.folder.split('/').at(-2) ?? '' };
}

test('files, links, modes, names in any encoding, and times are restored exactly', async () => {
  const { machine, id } = await machineWith(`
    echo hello > plain; mkdir -p deep/er; echo x > deep/er/file; ln -s /etc/shadow link; ln plain hard
    printf y > "$(printf 'caf\\351')"; mkfifo pipe; touch -d 2020-01-02T03:04:05Z plain
    mkdir locked; echo in > locked/file; chmod 444 locked/file; chmod 555 locked
    mkdir closed; echo in > closed/file; chmod 000 closed; chmod 755 plain
    echo scratch > /tmp/scratch; echo mine > ~/note`);
  const { file, count, problems } = await pack(machine);
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(12);
  await verifyBackup(createReadStream(file));
  const files = join(await unpack(file), id, 'files');
  expect(await readFile(join(files, 'plain'), 'utf8')).toBe('hello\n');
  expect((await stat(join(files, 'plain'))).mtime.toISOString()).toBe('2020-01-02T03:04:05.000Z');
  expect(await readlink(join(files, 'link'))).toBe('/etc/shadow');
  expect((await stat(join(files, 'hard'))).ino).toBe((await stat(join(files, 'plain'))).ino);
  expect(await readFile(join(files, 'locked/file'), 'utf8')).toBe('in\n');
  expect(await readFile(join(files, 'closed/file'), 'utf8')).toBe('in\n');
  const modes = ['plain', 'locked', 'locked/file', 'closed'].map(
    async (name) => (await lstat(join(files, name))).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o755, 0o555, 0o444, 0o000]);
  const names = await readdir(files, { encoding: 'buffer' });
  expect(names.some((name) => name.equals(Buffer.from('caf\xe9', 'latin1')))).toBe(true);
  expect(await readFile(join(files, '../home/note'), 'utf8')).toBe('mine\n');
  expect(await readdir(join(files, '../tmp'))).toEqual([]);
});

test('a sparse file of 4 TB is backed up and restored without delay', async () => {
  const { machine, id } = await machineWith('truncate -s 4T huge; echo end >> huge');
  const { file } = await pack(machine);
  expect((await stat(file)).size).toBeLessThan(100_000);
  const huge = await stat(join(await unpack(file), id, 'files/huge'));
  expect(huge.size).toBe(4 * 1024 ** 4 + 4);
  expect(huge.blocks).toBeLessThan(100);
});

test('a folder that is swapped for a link does not lead out of the workspace', async () => {
  const secrets = await makeTemporaryDirectory();
  await writeFile(join(secrets, 'file'), SECRET);
  await chmod(secrets, 0o755);
  await chmod(join(secrets, 'file'), 0o644);
  // The archive is longer than one part, so later entries are read after the first part is written.
  const { machine, sandbox } = await machineWith(
    'for i in 0 1 2 3 4 5 6 7 8 9; do mkdir swap-$i; echo x > swap-$i/file; head -c 3000000 /dev/urandom > large-$i; done',
  );
  const file = join(await makeTemporaryDirectory(), 'backup');
  const archive = new ArchiveWriter(createWriteStream(file));
  const add = archive.add.bind(archive);
  let swapped = 0;
  archive.add = async (header, body) => {
    if (/files\/.|tar\/000001/.test(header.name) && swapped === 0) {
      for (const name of (await readdir(sandbox.folder)).filter((one) => one.startsWith('swap-'))) {
        await rm(join(sandbox.folder, name), { recursive: true });
        await symlink(secrets, join(sandbox.folder, name));
        swapped += 1;
      }
    }
    await add(header, body);
  };
  await packWorkspaces(join(machine.directory, 'workspaces'), archive);
  await archive.close();
  expect(swapped).toBe(10);
  expect(gunzipSync(await readFile(file)).includes(SECRET)).toBe(false);
});

test('a workspace that is too large is skipped and reported, and the others are backed up', async () => {
  const { machine, id } = await machineWith('head -c 20000000 /dev/urandom > large');
  const other = await machine.open();
  await other.write('small', 'kept');
  const { file, problems } = await pack(machine, 10_000_000);
  expect(problems).toEqual([`The workspace ${id} is not in the backup: it exceeds 9 MB`]);
  await verifyBackup(createReadStream(file));
  const restored = await unpack(file);
  expect((await readdir(restored)).filter((name) => name === id)).toEqual([]);
  const kept = join(restored, other.folder.split('/').at(-2) ?? '', 'files/small');
  expect(await readFile(kept, 'utf8')).toBe('kept');
});

test('verify and restore detect a changed byte', async () => {
  const { machine } = await machineWith('echo unmistakable-content > file');
  const { file } = await pack(machine);
  const bytes = gunzipSync(await readFile(file));
  bytes.write('X', bytes.indexOf('unmistakable-content'));
  await writeFile(file, gzipSync(bytes));
  await expect(verifyBackup(createReadStream(file))).rejects.toThrow('The backup is damaged');
  await expect(unpack(file)).rejects.toThrow('wrong checksum');
});

test('a truncated backup is detected', async () => {
  const { machine } = await machineWith('echo x > file');
  const { file } = await pack(machine);
  const whole = await readFile(file);
  await writeFile(file, whole.subarray(0, whole.length - 200));
  await expect(verifyBackup(createReadStream(file))).rejects.toThrow(/damaged|truncated/);
});

test('a restored workspace opens', async () => {
  const { machine, id } = await machineWith('echo kept > file; mkdir locked; chmod 555 locked');
  const { file } = await pack(machine);
  const directory = await unpack(file);
  const again = await TestMachine.start({ directory });
  const spec = { id, env: {}, limits: {}, network: 'none' } as const;
  const sandbox = await again.driver.open(spec);
  const { bytes } = await sandbox.files.read('/workspace/file', 0, 100);
  await sandbox.close();
  expect(String(bytes)).toBe('kept\n');
  await run('chmod', ['-R', 'u+rwX', directory]);
});

test('an entry with a path outside the folder is refused', async () => {
  const file = join(await makeTemporaryDirectory(), 'backup');
  const archive = new ArchiveWriter(createWriteStream(file));
  await archive.json('workspaces/../../evil', {});
  await archive.close();
  await expect(unpack(file)).rejects.toThrow('invalid file name');
});

test('files of earlier backups are restored into a read-only folder', async () => {
  const file = join(await makeTemporaryDirectory(), 'backup');
  const archive = new ArchiveWriter(createWriteStream(file));
  const one = 'workspaces/0001/files';
  await archive.add(
    { name: `${one}/locked/`, type: 'directory', size: 0, mode: 0o555 },
    new Uint8Array(),
  );
  await archive.json(`${one}/locked/file`, { a: 1 });
  await archive.close();
  const directory = await makeTemporaryDirectory();
  await mkdir(join(directory, 'data'));
  await chmod(directory, 0o777);
  await chmod(join(directory, 'data'), 0o777);
  // As an unprivileged account: root can write anywhere.
  const program = `
    import { createReadStream } from 'node:fs';
    const { readArchive } = await import(${JSON.stringify(new URL('../../src/backup/archive-reader.ts', import.meta.url).href)});
    const { unpackOne } = await import(${JSON.stringify(new URL('../../src/backup/workspace-files.ts', import.meta.url).href)});
    process.setgid(65534); process.setuid(65534);
    for await (const entry of readArchive(createReadStream(${JSON.stringify(file)}))) await unpackOne(entry, ${JSON.stringify(join(directory, 'data'))});`;
  await chmod(join(file, '..'), 0o755);
  await run(process.execPath, [
    '--conditions=chatd-source',
    '--input-type=module',
    '--eval',
    program,
  ]);
  const folder = join(directory, 'data/0001/files/locked');
  expect((await stat(folder)).mode & 0o777).toBe(0o555);
  expect(JSON.parse(await readFile(join(folder, 'file'), 'utf8'))).toEqual({ a: 1 });
});
