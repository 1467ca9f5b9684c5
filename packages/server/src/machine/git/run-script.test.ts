import { expect, test } from 'vitest';
import type { Sandbox } from '../drivers/driver.ts';
import { runScript } from './run-script.ts';

test('a script that is aborted while it starts is killed', async () => {
  const abort = new AbortController();
  const signals: string[] = [];
  const sandbox = {
    run() {
      abort.abort(new Error('too late'));
      return Promise.resolve({
        exit: new Promise(() => undefined),
        signal: (name: string) => Promise.resolve(void signals.push(name)),
      });
    },
  } as unknown as Sandbox;
  const script = runScript(sandbox, 'sleep 1000', [], { limit: 1, signal: abort.signal });
  await expect(script).rejects.toThrow('too late');
  expect(signals).toEqual(['SIGKILL']);
});
