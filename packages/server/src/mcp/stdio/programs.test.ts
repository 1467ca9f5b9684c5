import { expect, test } from 'vitest';
import { type ProgramHolder, Programs } from './programs.ts';

const ended: string[] = [];
const holder = (serverName: string, userId: string, idleSince?: number): ProgramHolder => ({
  serverName,
  userId,
  idleSince: () => idleSince,
  end() {
    ended.push(serverName);
    return Promise.resolve();
  },
});

test('the program that was idle for the longest time makes room', async () => {
  const programs = new Programs({ total: 3, perUser: 3 });
  await programs.reserve(holder('busy', 'ann'));
  await programs.reserve(holder('old', 'ben', 10));
  await programs.reserve(holder('young', 'ann', 20));
  await programs.reserve(holder('new', 'cem'));
  expect(ended.splice(0)).toEqual(['old']);
  expect(programs.count).toBe(3);
});

test('a user at their limit ends a program of their own, not of others', async () => {
  const programs = new Programs({ total: 10, perUser: 1 });
  await programs.reserve(holder('of ben', 'ben', 1));
  await programs.reserve(holder('of ann', 'ann', 2));
  await programs.reserve(holder('another', 'ann'));
  expect(ended.splice(0)).toEqual(['of ann']);
});

test('while all programs are busy, a new one is refused, and the error names the limit', async () => {
  const programs = new Programs({ total: 2, perUser: 1 });
  const release = await programs.reserve(holder('a', 'ann'));
  await expect(programs.reserve(holder('b', 'ann'))).rejects.toThrow(
    'b is not available: this user already has 1 running MCP programs (CHATD_MCP_PROGRAMS_PER_USER)',
  );
  await programs.reserve(holder('c', 'ben'));
  await expect(programs.reserve(holder('d', 'cem'))).rejects.toThrow('(CHATD_MCP_PROGRAMS)');
  release();
  await programs.reserve(holder('e', 'cem'));
  expect(programs.count).toBe(2);
});
