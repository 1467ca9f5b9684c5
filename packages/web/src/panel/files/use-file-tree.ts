import type { WorkspaceFile } from '@chatd/protocol';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { byteCount } from '../../format/byte-count.ts';
import type { TreeRow } from '../tree/tree.tsx';

type Folder =
  | { readonly kind: 'loading'; readonly entries: readonly WorkspaceFile[] }
  | { readonly kind: 'known'; readonly entries: readonly WorkspaceFile[]; readonly more: boolean }
  | { readonly kind: 'failed'; readonly reason: string };

export interface FileTree {
  readonly rows: readonly TreeRow[];
  readonly error: string | undefined;
  readonly busy: boolean;
  readonly toggle: (path: string) => void;
  /** Reloads all expanded folders. */
  readonly refresh: () => void;
}

const ROOT = '.';

/** The files of a workspace. Folders are loaded when they are expanded. */
export function useFileTree(workspaceId: string, shown: string | undefined): FileTree {
  const [folders, setFolders] = useState<ReadonlyMap<string, Folder>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());

  const put = (path: string, folder: Folder) => setFolders((all) => new Map(all).set(path, folder));
  const load = async (path: string) => {
    setFolders((all) => {
      const known = all.get(path);
      const entries = known === undefined || known.kind === 'failed' ? [] : known.entries;
      return new Map(all).set(path, { kind: 'loading', entries });
    });
    try {
      const input = { params: { workspace_id: workspaceId }, query: { path } };
      const { entries, more } = await client.call('listWorkspaceFiles', input);
      put(path, { kind: 'known', entries, more });
    } catch (error) {
      put(path, { kind: 'failed', reason: explain(error) });
    }
  };
  useEffect(() => {
    void load(ROOT);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only another workspace has another tree
  }, [workspaceId]);

  const root = folders.get(ROOT);
  return {
    rows: rowsOf(folders, open, shown, ROOT, 1),
    error: root?.kind === 'failed' ? root.reason : undefined,
    busy: [...folders.values()].some(({ kind }) => kind === 'loading'),
    toggle(path) {
      const next = new Set(open);
      if (!next.delete(path)) {
        next.add(path);
        void load(path);
      }
      setOpen(next);
    },
    refresh() {
      for (const path of [ROOT, ...open]) void load(path);
    },
  };
}

function rowsOf(
  folders: ReadonlyMap<string, Folder>,
  open: ReadonlySet<string>,
  shown: string | undefined,
  path: string,
  level: number,
): TreeRow[] {
  const folder = folders.get(path);
  if (folder === undefined || folder.kind === 'failed') return [];
  const rows = folder.entries.toSorted(byKindAndName).flatMap((entry): TreeRow[] => {
    const { name, type, size } = entry;
    const key = path === ROOT ? name : `${path}/${name}`;
    if (type !== 'directory') {
      const note = type === 'link' ? 'link' : byteCount(size);
      return [{ key, level, name, selected: key === shown, note, said: note }];
    }
    const expanded = open.has(key);
    const inside = folders.get(key);
    const failed = inside?.kind === 'failed' ? inside.reason : undefined;
    return [
      {
        key,
        level,
        name,
        expanded,
        busy: inside?.kind === 'loading',
        ...(failed !== undefined && { note: failed, said: failed }),
      },
      ...(expanded ? rowsOf(folders, open, shown, key, level + 1) : []),
    ];
  });
  return rows;
}

function byKindAndName(a: WorkspaceFile, b: WorkspaceFile): number {
  const folders = Number(b.type === 'directory') - Number(a.type === 'directory');
  return folders || a.name.localeCompare(b.name, undefined, { numeric: true });
}
