import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { StartError } from '../start-error.ts';
import { configOfMember, processCount } from './process-count.ts';

const GB = 1024 ** 3;
const machine = { cores: 8, memoryBytes: 16 * GB };
const external = { database_url: 'postgresql://chatd@127.0.0.1/chatd', workspaces: false };

const configOf = (given: Record<string, unknown>) =>
  readConfig({ given, args: [], env: { HOME: '/nowhere' }, isRoot: false }).config;

test('one process is the default, with any database', () => {
  expect(processCount(configOf({}), machine)).toBe(1);
  expect(processCount(configOf(external), machine)).toBe(1);
});

test('auto runs one process per core, up to 8, as far as memory allows', () => {
  const config = configOf({ ...external, processes: 'auto' });
  expect(processCount(config, machine)).toBe(8);
  expect(processCount(config, { ...machine, memoryBytes: 1.2 * GB })).toBe(2);
  expect(processCount(config, { ...machine, memoryBytes: 0.1 * GB })).toBe(1);
  const embedded = configOf({ workspaces: false, processes: 'auto' });
  expect(processCount(embedded, machine)).toBe(8);
  expect(processCount(config, { cores: 64, memoryBytes: 256 * GB })).toBe(8);
});

test('auto runs one process where several cannot work', () => {
  expect(
    processCount(configOf({ ...external, bus_url: 'memory:', processes: 'auto' }), machine),
  ).toBe(1);
});

test.each([
  [{ ...external, bus_url: 'memory:', processes: 2 }, /CHATD_BUS_URL/],
  [{ workspaces: false, processes: 17 }, /up to 16 processes/],
])('a number that cannot work is refused: %o', (given, hint) => {
  expect(() => processCount(configOf(given), machine)).toThrow(StartError);
  expect(() => processCount(configOf(given), machine)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(hint) as string }),
  );
});

test('the processes divide the database connections, and the concurrency limit of a user', () => {
  const config = configOf({ workspaces: false, processes: 16, request_concurrency: 24 });
  const member = configOfMember(config, 16);
  expect(17 * (member.databaseConnections + 3)).toBeLessThanOrEqual(120);
  expect(member.databaseConnections).toBeGreaterThanOrEqual(2);
  expect(member.requestLimits.concurrency).toBe(2);
  expect(configOfMember(configOf(external), 2).databaseConnections).toBe(10);
  expect(configOfMember(configOf(external), 8).databaseConnections).toBe(5);
});
