import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { knownSecrets } from './secrets/secret-values.ts';

function recorder(options: { secrets?: string[]; readable?: boolean } = {}) {
  const lines: string[] = [];
  const { secrets = [], readable = false } = options;
  const log = createLog({ level: 'info', secrets, readable, write: (line) => lines.push(line) });
  return { log, lines };
}

test('known secrets are hidden wherever they appear', () => {
  const { log, lines } = recorder({
    secrets: ['s3cret-token', 'postgresql://u:p%40ssw0rd@db/chatd'],
  });
  log.info({ header: 'Bearer s3cret-token' }, 'got s3cret-token');
  log.error(
    { err: new Error('cannot connect with p@ssw0rd to postgresql://u:p%40ssw0rd@db/chatd') },
    'x',
  );
  expect(lines.join('')).not.toMatch(/s3cret|ssw0rd/);
  expect(lines.join('')).toContain('[hidden]');
});

test('a secret added later is hidden from then on, and so are its parts', () => {
  const { log, lines } = recorder();
  knownSecrets.add('sk-live-a1b2c3d4e5f6');
  log.info({ said: 'bad key: sk-live-a1b2****' }, 'the key sk-live-a1b2c3d4e5f6 was refused');
  expect(lines.join('')).not.toMatch(/a1b2|c3d4/);
});

test('fields that are named like secrets are hidden', () => {
  const { log, lines } = recorder();
  log.info({ password: 'a1', req: { authorization: 'b2', headers: { cookie: 'c3' } } }, 'x');
  expect(lines.join('')).not.toMatch(/a1|b2|c3/);
});

test('an error is logged with its message and cause, without its other properties', () => {
  const { log, lines } = recorder();
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const error = Object.assign(new Error('away', { cause }), { client: { password: 'hunter2' } });
  log.error({ err: error }, 'x');
  const { err } = JSON.parse(lines[0] ?? '') as { err: object };
  expect(err).toMatchObject({ message: 'away', cause: { message: 'reset', code: 'ECONNRESET' } });
  expect(lines.join('')).not.toContain('hunter2');
});

test('on a terminal, a record is a human-readable line', () => {
  const { log, lines } = recorder({ readable: true });
  log.child({ request_id: 'r1' }).warn({ path: '/chats' }, 'the database is away');
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d warn {2}the database is away path="\/chats"\n$/),
  ]);
});
