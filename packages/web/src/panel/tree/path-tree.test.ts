import { expect, test } from 'vitest';
import { treeOf, type TreeNode } from './path-tree.ts';

const drawn = (nodes: readonly TreeNode<string>[], indent = ''): string[] =>
  nodes.flatMap(({ name, item, children }) => [
    `${indent}${name}${item === undefined ? '/' : ''}`,
    ...drawn(children, `${indent}  `),
  ]);

test('folders come first, and chains of single folders are merged', () => {
  const paths = ['b.txt', 'src/deep/er/x.ts', 'src/deep/er/a.ts', 'docs/10.md', 'docs/9.md', 'a'];
  expect(drawn(treeOf(paths, (path) => path))).toEqual([
    'docs/',
    '  9.md',
    '  10.md',
    'src/deep/er/',
    '  a.ts',
    '  x.ts',
    'a',
    'b.txt',
  ]);
});

test('nodes have the whole path', () => {
  const [folder] = treeOf(['src/deep/x.ts'], (path) => path);
  expect(folder).toMatchObject({ path: 'src/deep', children: [{ path: 'src/deep/x.ts' }] });
});
