import type { Chat, WorkspaceDiff } from '@chatd/protocol';
import { FoldVertical, UnfoldVertical } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { counted } from '../../format/number.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useTreeRows } from '../tree/expanded.ts';
import { itemsOf, treeOf } from '../tree/path-tree.ts';
import { Tree } from '../tree/tree.tsx';
import { ChangedFile, type FileChange } from './changed-file.tsx';
import { Counts } from './counts.tsx';
import { type Hunk, parsePatch } from './patch.ts';

export interface ChangedEntry {
  readonly file: FileChange;
  /** Relative to the workspace root. */
  readonly path: string;
  readonly hunks: readonly Hunk[] | undefined;
}

/** Files with more lines are collapsed at first. */
const LONG_FILE = 400;

/** The files of a diff, as a tree and with their changed lines. */
export function ChangedFileList({
  chat,
  entries,
}: {
  readonly chat: Chat;
  readonly entries: readonly ChangedEntry[];
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = ({ path, hunks = [] }: ChangedEntry) =>
    toggled.get(path) ?? hunks.reduce((sum, { lines }) => sum + lines.length, 0) <= LONG_FILE;
  const set = (paths: readonly string[], open: boolean) =>
    setToggled((all) => new Map([...all, ...paths.map((path): [string, boolean] => [path, open])]));
  const tree = useMemo(() => treeOf(entries, ({ path }) => path), [entries]);
  const { rows, toggle } = useTreeRows(tree, ({ file }) => ({
    note: <Counts additions={file.additions} deletions={file.deletions} />,
    said: saidOf(file),
  }));
  const show = (path: string) => {
    set([path], true);
    const sections = frame.current?.querySelectorAll<HTMLElement>('section[data-path]') ?? [];
    const section = [...sections].find(({ dataset }) => dataset['path'] === path);
    section?.scrollIntoView({ block: 'start' });
    section?.querySelector('button')?.focus({ preventScroll: true });
  };
  const paths = entries.map(({ path }) => path);
  const anyOpen = entries.some(isOpen);
  return (
    <div ref={frame}>
      <div className="border-b border-line p-2">
        <Tree label="Changed files" rows={rows} onToggle={toggle} onOpen={show} />
      </div>
      <div className="flex justify-end px-2 py-1">
        <IconButton
          label={anyOpen ? 'Collapse all files' : 'Expand all files'}
          size="small"
          onClick={() => set(paths, !anyOpen)}
        >
          {anyOpen ? <FoldVertical /> : <UnfoldVertical />}
        </IconButton>
      </div>
      {itemsOf(tree).map((entry) => (
        <ChangedFile
          key={entry.path}
          chat={chat}
          {...entry}
          open={isOpen(entry)}
          onToggle={() => set([entry.path], !isOpen(entry))}
        />
      ))}
    </div>
  );
}

const saidOf = ({ additions, deletions, status }: FileChange) =>
  additions === null || deletions === null
    ? `${status}, binary`
    : `${status}, ${counted(additions, 'line')} added, ${deletions} removed`;

export function entriesOf(diff: WorkspaceDiff | undefined): ChangedEntry[] {
  return (diff?.repositories ?? []).flatMap((repository) => {
    const hunks = parsePatch(repository.patch);
    const folder = repository.path === '.' ? '' : `${repository.path}/`;
    return repository.files.map((file) => ({
      file,
      path: `${folder}${file.path}`,
      hunks: hunks.get(file.path) ?? (repository.patch_cut ? undefined : []),
    }));
  });
}
