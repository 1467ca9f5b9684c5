import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkout, run, start, startNpm, UNREACHABLE } from './checkout.ts';

test('the script runs with its arguments, and its exit code is forwarded', async () => {
  const root = await checkout({
    'say.ts': 'const x: string[] = process.argv.slice(2); console.log(x);',
  });
  expect(await run(root, 'say.ts', 'one argument', '--two')).toMatchObject({
    code: 0,
    stdout: "[ 'one argument', '--two' ]\n",
  });
  await writeFile(join(root, 'fail.ts'), 'process.exitCode = 7;');
  expect(await run(root, 'fail.ts')).toMatchObject({ code: 7 });
});

test('dependencies are installed on the first run and after a change', async () => {
  const root = await checkout({ 'use.ts': `import dep from 'dep'; console.log(dep);` });
  const first = await run(root, 'use.ts');
  expect(first).toMatchObject({ code: 0, stdout: 'one\n' });
  expect(first.stderr).toContain('installing dependencies');
  expect((await run(root, 'use.ts')).stderr).toBe('');

  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  await writeFile(join(root, 'package.json'), manifest.replace('vendor/one', 'vendor/two'));
  expect(await run(root, 'use.ts')).toMatchObject({ code: 0, stdout: 'two\n' });
});

test('running a script does not change committed files', async () => {
  const root = await checkout({ 'nothing.ts': '' });
  const before = await readFile(join(root, 'package.json'), 'utf8');
  await run(root, 'nothing.ts');
  expect(await readFile(join(root, 'package.json'), 'utf8')).toBe(before);
  expect(await readdir(root)).not.toContain('package-lock.json');
});

test('concurrent commands install once', async () => {
  const root = await checkout({ 'use.ts': `import dep from 'dep'; console.log(dep);` });
  const both = await Promise.all([run(root, 'use.ts'), run(root, 'use.ts')]);
  expect(both.map(({ stdout }) => stdout)).toEqual(['one\n', 'one\n']);
  const installations = both.filter(({ stderr }) => stderr.includes('installing dependencies'));
  expect(installations).toHaveLength(1);
  expect(await readdir(join(root, '.node'))).toEqual([]);
});

test('the lock of a killed command is removed', async () => {
  const root = await checkout({ 'use.ts': `import dep from 'dep'; console.log(dep);` });
  const gone = spawn('true');
  await once(gone, 'exit');
  await mkdir(join(root, '.node', 'lock'), { recursive: true });
  await writeFile(join(root, '.node', 'lock', 'owner'), String(gone.pid));
  expect(await run(root, 'use.ts')).toMatchObject({ code: 0, stdout: 'one\n' });
});

test('a command waits for the lock of a live process and names it', async () => {
  const root = await checkout({ 'use.ts': `import dep from 'dep'; console.log(dep);` });
  await mkdir(join(root, '.node', 'lock'), { recursive: true });
  await writeFile(join(root, '.node', 'lock', 'owner'), String(process.pid));
  const waiting = start(root, ['use.ts']);
  await waiting.says(`(pid ${process.pid})`);
  await rm(join(root, '.node', 'lock'), { recursive: true });
  expect(await waiting.end).toMatchObject({ code: 0, stdout: 'one\n' });
});

test('a failed installation reports the fix and leaves no lock behind', async () => {
  const root = await checkout({ 'nothing.ts': '' }, { registry: UNREACHABLE, dependency: '1.0.0' });
  const { code, stderr } = await run(root, 'nothing.ts');
  expect(code).toBe(1);
  expect(stderr).toContain('npm failed installing dependencies');
  expect(stderr).toContain('npm config get registry');
  expect(await readdir(join(root, '.node'))).toEqual([]);
});

test('a signal during the installation ends npm, removes the lock and ends the process', async () => {
  const silent = createServer((connection) => void connection.resume()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const registry = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const root = await checkout({ 'nothing.ts': '' }, { registry, dependency: '1.0.0' });
  const installing = start(root, ['nothing.ts']);
  const [connection] = await once(silent, 'connection');
  const closed = once(connection, 'close');
  installing.child.kill('SIGTERM');
  expect(await installing.end).toMatchObject({ code: null, signal: 'SIGTERM' });
  await closed;
  expect(await readdir(join(root, '.node'))).toEqual([]);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s reaches the script, which can shut down gracefully',
  async (signal) => {
    const root = await checkout({
      'serve.ts': `
        process.on('${signal}', () => { console.log('stopping'); clearInterval(alive); process.exitCode = 3; });
        const alive = setInterval(() => undefined, 1000);
        console.log('serving');`,
    });
    const serving = start(root, ['serve.ts']);
    await serving.says('serving');
    serving.child.kill(signal);
    expect(await serving.end).toMatchObject({ code: 3, stdout: 'serving\nstopping\n' });
  },
);

test.each(['SIGTERM', 'SIGINT'] as const)('%s to npm reaches the script', async (signal) => {
  const root = await checkout({
    'serve.ts': `
        process.on('${signal}', () => { console.log('stopping'); clearInterval(alive); });
        const alive = setInterval(() => undefined, 1000);
        console.log('serving');`,
  });
  const serving = startNpm(root, 'start');
  await serving.says('serving');
  serving.child.kill(signal);
  await serving.says('stopping');
  await serving.end;
});

test('the scripts in package.json use exec, so that no shell swallows signals', async () => {
  const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  const commands = manifest.match(/(?<=": ")[^"]*run\.mjs/g) ?? [];
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) {
    expect(command).toBe('exec node scripts/run.mjs');
  }
});

test('if a signal ends the script, the same signal ends the process', async () => {
  const root = await checkout({ 'end.ts': `process.kill(process.pid, 'SIGKILL');` });
  expect(await run(root, 'end.ts')).toMatchObject({ code: null, signal: 'SIGKILL' });
});

// Ten times, because two signals in quick succession can be merged.
test('each Ctrl-C in a terminal reaches the script once', async () => {
  const root = await checkout({
    'count.ts': `
      let times = 0;
      process.on('SIGINT', () => console.log('interrupted ' + ++times));
      process.stdin.once('data', () => { console.log('in all ' + times); process.exit(0); });
      console.log('counting');`,
  });
  const terminal = start(root, ['count.ts'], { terminal: true });
  await terminal.says('counting');
  for (let time = 1; time <= 10; time += 1) {
    terminal.child.stdin?.write('\u0003');
    await terminal.says(`interrupted ${time}`);
  }
  terminal.child.stdin?.write('done\n');
  expect(await terminal.end).toMatchObject({ stdout: expect.stringContaining('in all 10') });
});
