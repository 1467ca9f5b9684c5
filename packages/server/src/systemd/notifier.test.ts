import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { SystemdNotifier } from './notifier.ts';

/** A fake `systemd-notify` that records its arguments. */
async function fakeSystemd(more: Record<string, string> = {}) {
  const folder = await makeTemporaryDirectory();
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'messages');
  await writeFile(file, '');
  const program = join(folder, 'systemd-notify');
  await writeFile(program, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${file}\n`);
  await chmod(program, 0o755);
  const env = { PATH: `${folder}:/usr/bin:/bin`, NOTIFY_SOCKET: '/run/notify', ...more };
  const errors: Error[] = [];
  const notifier = new SystemdNotifier({ env, pid: 42, onError: (error) => errors.push(error) });
  onTestFinished(() => notifier.close());
  const messages = async () =>
    (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return { notifier, messages, errors };
}

test('systemd is notified when the server is ready and when it stops', async () => {
  const { notifier, messages, errors } = await fakeSystemd();
  await notifier.ready();
  await notifier.stopping();
  await notifier.close();
  expect(await messages()).toEqual(['/run/notify READY=1', '/run/notify STOPPING=1']);
  expect(errors).toEqual([]);
});

test('the watchdog is notified repeatedly while the event loop runs', async () => {
  const { notifier, messages } = await fakeSystemd({ WATCHDOG_USEC: '20000', WATCHDOG_PID: '42' });
  await notifier.ready();
  await eventually(async () =>
    expect((await messages()).filter((line) => line.endsWith('WATCHDOG=1')).length).toBeGreaterThan(
      2,
    ),
  );
});

test.each([
  ['no watchdog', {}],
  ['the watchdog of another process', { WATCHDOG_USEC: '20000', WATCHDOG_PID: '7' }],
])('nothing is sent for %s', async (_, env: Record<string, string>) => {
  const { notifier, messages } = await fakeSystemd(env);
  await notifier.ready();
  await notifier.close();
  expect(await messages()).toEqual(['/run/notify READY=1']);
});

test('outside of systemd, nothing is started, and a missing program is only reported', async () => {
  const errors: Error[] = [];
  const onError = (error: Error) => errors.push(error);
  await new SystemdNotifier({ env: { PATH: '/nowhere' }, pid: 1, onError }).ready();
  expect(errors).toEqual([]);
  const env = { PATH: '/nowhere', NOTIFY_SOCKET: '/run/notify' };
  await new SystemdNotifier({ env, pid: 1, onError }).ready();
  expect(errors).toMatchObject([{ code: 'ENOENT' }]);
});
