import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rankPaths, scoreOf } from './rank-paths.ts';

const best = async (query: string, ...paths: string[]) => (await rankPaths(paths, query, 1))[0];

test('a file is found by parts of its name', async () => {
  expect(await best('chsr', 'src/cache/store.ts', 'src/chat/stream.ts', 'src/chat-stream.ts')).toBe(
    'src/chat-stream.ts',
  );
  expect(await best('readme', 'docs/read/me.txt', 'packages/a/README.md', 'README.md')).toBe(
    'README.md',
  );
  expect(await best('fb', 'lib/affable.ts', 'lib/FooBar.ts')).toBe('lib/FooBar.ts');
  expect(await best('index', 'index/other.ts', 'src/index.ts')).toBe('src/index.ts');
});

test('folders can be named, and spaces are ignored', async () => {
  expect(await best('api/in', 'web/index.ts', 'api/index.ts')).toBe('api/index.ts');
  expect(await best('api index', 'web/index.ts', 'api/index.ts')).toBe('api/index.ts');
});

test('paths that do not match are left out, and an empty query matches all', async () => {
  expect(await rankPaths(['a.ts', 'b.ts'], 'x', 10)).toEqual([]);
  expect(await rankPaths(['long/path.ts', 'b.ts'], ' ', 10)).toEqual(['b.ts', 'long/path.ts']);
});

test('every path matches itself and any of its letters in order', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.array(fc.boolean()),
      (path, keep) => {
        const wanted = Array.from(path.toLowerCase())
          .filter((_, index) => keep[index] === true)
          .join('');
        expect(scoreOf(path, path.toLowerCase())).toBeDefined();
        expect(scoreOf(path, wanted)).toBeDefined();
      },
    ),
  );
});

test('one of a hundred thousand paths is found', async () => {
  const paths = Array.from({ length: 100_000 }, (_, n) => `packages/p${n % 100}/src/file-${n}.ts`);
  expect(await rankPaths(paths, 'file-77777', 3)).toEqual(['packages/p77/src/file-77777.ts']);
});
