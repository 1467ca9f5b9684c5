import { useState } from 'react';
import type { TreeNode } from './path-tree.ts';
import type { TreeRow } from './tree.tsx';

/** The rows of a fully loaded tree. Folders are expanded by default. */
export function useTreeRows<T>(
  nodes: readonly TreeNode<T>[],
  describe: (item: T, path: string) => Partial<TreeRow>,
): { readonly rows: TreeRow[]; readonly toggle: (path: string) => void } {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rowsOf = (some: readonly TreeNode<T>[], level: number): TreeRow[] =>
    some.flatMap(({ name, path, item, children }): TreeRow[] => {
      if (item !== undefined) return [{ key: path, level, name, ...describe(item, path) }];
      const expanded = !closed.has(path);
      const row = { key: path, level, name, expanded };
      return expanded ? [row, ...rowsOf(children, level + 1)] : [row];
    });
  return {
    rows: rowsOf(nodes, 1),
    toggle: (path) =>
      setClosed((all) => {
        const next = new Set(all);
        if (!next.delete(path)) next.add(path);
        return next;
      }),
  };
}
