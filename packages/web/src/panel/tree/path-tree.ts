/** A folder or file. Chains of single folders are merged into one. */
export interface TreeNode<T> {
  /** The display name; for merged folders, all their names. */
  readonly name: string;
  readonly path: string;
  /** Undefined for folders. */
  readonly item: T | undefined;
  readonly children: readonly TreeNode<T>[];
}

interface Building<T> {
  readonly folders: Map<string, Building<T>>;
  readonly files: Map<string, T>;
}

/** Folders first, both by name. */
export function treeOf<T>(items: readonly T[], pathOf: (item: T) => string): TreeNode<T>[] {
  const root: Building<T> = { folders: new Map(), files: new Map() };
  for (const item of items) {
    const names = pathOf(item).split('/');
    const file = names.pop() ?? '';
    let folder = root;
    for (const name of names) {
      const next = folder.folders.get(name) ?? { folders: new Map(), files: new Map() };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.files.set(file, item);
  }
  return nodesOf(root, '');
}

function nodesOf<T>({ folders, files }: Building<T>, above: string): TreeNode<T>[] {
  return [
    ...[...folders]
      .map(([name, folder]) => folderNode(name, folder, `${above}${name}`))
      .toSorted(byName),
    ...[...files]
      .map(([name, item]) => ({ name, path: `${above}${name}`, item, children: [] }))
      .toSorted(byName),
  ];
}

function folderNode<T>(name: string, folder: Building<T>, path: string): TreeNode<T> {
  const [only, ...others] = folder.folders;
  if (only !== undefined && others.length === 0 && folder.files.size === 0) {
    const [below, inner] = only;
    return folderNode(`${name}/${below}`, inner, `${path}/${below}`);
  }
  return { name, path, item: undefined, children: nodesOf(folder, `${path}/`) };
}

/** The items in display order. */
export const itemsOf = <T>(nodes: readonly TreeNode<T>[]): T[] =>
  nodes.flatMap(({ item, children }) => (item === undefined ? itemsOf(children) : [item]));

const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
  a.name.localeCompare(b.name, undefined, { numeric: true });
