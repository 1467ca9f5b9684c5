import type { WorkspaceDiff } from '@chatd/protocol';
import { Columns2, GitCompare, RefreshCw, Rows2 } from 'lucide-react';
import { useMemo } from 'react';
import { explain } from '../../api/explain.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { useCell } from '../../state/cell.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { PanelBar } from '../panel-bar.tsx';
import type { PanelTabProps } from '../tabs.ts';
import { type ChangedEntry, ChangedFileList, entriesOf } from './changed-file-list.tsx';
import type { FileChange } from './changed-file.tsx';
import { Counts } from './counts.tsx';
import { diffLayout } from './diff-layout.ts';
import { useDiff } from './use-diff.ts';

/** The files changed by the agents of this chat. */
export default function Changes({ chat, store }: PanelTabProps) {
  const { diff, error, busy, refresh } = useDiff(chat.id, store);
  const entries = useMemo(() => entriesOf(diff), [diff]);
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <Summary entries={entries} busy={busy} />
        <LayoutSwitch />
        <IconButton label="Refresh" size="small" disabled={busy} onClick={refresh}>
          {busy ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error !== null && (
          <Notice kind="warn" className="m-3" title="The changes cannot be shown">
            {explain(error)}
          </Notice>
        )}
        {diff !== undefined && entries.length === 0 && <NothingYet diff={diff} />}
        {entries.length > 0 && <ChangedFileList chat={chat} entries={entries} />}
        {diff?.repositories.some(({ patch_cut, more_files }) => patch_cut || more_files) && (
          <Notice className="m-3">The diff is too large to show completely.</Notice>
        )}
      </div>
    </div>
  );
}

function Summary({
  entries,
  busy,
}: {
  readonly entries: readonly ChangedEntry[];
  readonly busy: boolean;
}) {
  const sum = (of: (file: FileChange) => number | null) =>
    entries.reduce((all, { file }) => all + (of(file) ?? 0), 0);
  if (entries.length === 0) {
    return <p className="flex-1 px-1 text-sm text-muted">{busy ? 'Loading…' : ''}</p>;
  }
  return (
    <p className="flex min-w-0 flex-1 items-center gap-2 px-1 text-sm">
      {entries.length === 1 ? '1 file' : `${entries.length} files`}
      <Counts
        additions={sum(({ additions }) => additions)}
        deletions={sum(({ deletions }) => deletions)}
      />
    </p>
  );
}

function LayoutSwitch() {
  const layout = useCell(diffLayout);
  return (
    <div role="group" aria-label="Diff layout" className="flex">
      <IconButton
        label="Unified"
        size="small"
        aria-pressed={layout === 'unified'}
        onClick={() => diffLayout.set('unified')}
      >
        <Rows2 />
      </IconButton>
      <IconButton
        label="Split"
        size="small"
        aria-pressed={layout === 'split'}
        onClick={() => diffLayout.set('split')}
      >
        <Columns2 />
      </IconButton>
    </div>
  );
}

function NothingYet({ diff }: { readonly diff: WorkspaceDiff }) {
  return (
    <div className="p-4">
      {diff.workspace_id === null ? (
        <EmptyState icon={<GitCompare />} title="No workspace yet">
          Changes to workspace files appear here. The agent creates a workspace when it needs one.
        </EmptyState>
      ) : (
        <EmptyState
          icon={<GitCompare />}
          title={diff.repositories.length === 0 ? 'No Git repository' : 'No changes'}
        >
          {diff.repositories.length === 0
            ? 'Changes are shown for Git repositories. Use the Files tab to see all files.'
            : `No changes since the workspace was created, on ${branchesOf(diff)}.`}
        </EmptyState>
      )}
    </div>
  );
}

const branchesOf = ({ repositories }: WorkspaceDiff) =>
  repositories.map(({ branch }) => safeText(branch ?? 'no branch')).join(', ');
