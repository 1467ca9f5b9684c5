import { expect, test } from 'vitest';
import type { RunningProcess } from '../../machine/drivers/driver.ts';
import { SandboxTransport } from './sandbox-transport.ts';

test('a program that starts after the connection was closed is killed', async () => {
  const killed: string[] = [];
  const started = Promise.withResolvers<RunningProcess>();
  const transport = new SandboxTransport({
    argv: ['server'],
    env: {},
    run: () => started.promise,
  });
  const starting = transport.start();
  await transport.close();
  started.resolve({
    exit: Promise.withResolvers<never>().promise,
    signal: async (name: string) => void killed.push(name),
  } as unknown as RunningProcess);
  await expect(starting).rejects.toThrow('closed');
  expect(killed).toEqual(['SIGKILL']);
});
