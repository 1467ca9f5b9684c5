import type { Chat } from '@chatd/protocol';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FolderOpen, RefreshCw, Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { PanelBar } from '../panel-bar.tsx';
import type { PanelTabProps } from '../tabs.ts';
import { Tree } from '../tree/tree.tsx';
import { WorkspaceGate } from '../workspace-gate.tsx';
import { FileView } from './file-view.tsx';
import { useFileTree } from './use-file-tree.ts';

export default function FilesTab({ chat }: PanelTabProps) {
  return (
    <WorkspaceGate chat={chat} what="A list of files" stoppedIsFine>
      {({ id }) => <Files key={id} chat={chat} workspaceId={id} />}
    </WorkspaceGate>
  );
}

function Files({ chat, workspaceId }: { readonly chat: Chat; readonly workspaceId: string }) {
  const [shown, setShown] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const [query, setQuery] = useState('');
  const tree = useFileTree(workspaceId, shown);
  const open = (path: string) => {
    setShown(path);
    setIsOpen(true);
  };
  if (isOpen && shown !== undefined) {
    const back = () => setIsOpen(false);
    return <FileView chat={chat} workspaceId={workspaceId} path={shown} onBack={back} />;
  }
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <Search aria-hidden className="ml-1 size-4 shrink-0 text-muted" />
        <input
          type="search"
          aria-label="Find file"
          placeholder="Find file"
          dir="auto"
          className="min-w-0 flex-1 bg-transparent px-1 py-1 text-sm placeholder:text-muted"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <IconButton label="Refresh" size="small" disabled={tree.busy} onClick={tree.refresh}>
          {tree.busy ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-auto p-2">
        {tree.error !== undefined && (
          <Notice kind="warn" title="The files cannot be shown">
            {tree.error}
          </Notice>
        )}
        {query.trim() === '' ? (
          <>
            {tree.rows.length === 0 && !tree.busy && tree.error === undefined && (
              <EmptyState icon={<FolderOpen />} title="The workspace is empty" />
            )}
            <Tree label="Files" rows={tree.rows} onToggle={tree.toggle} onOpen={open} />
          </>
        ) : (
          <Found workspaceId={workspaceId} query={query} onOpen={open} />
        )}
      </div>
    </div>
  );
}

function Found({
  workspaceId,
  query,
  onOpen,
}: {
  readonly workspaceId: string;
  readonly query: string;
  readonly onOpen: (path: string) => void;
}) {
  const q = useDeferredValue(query);
  const { data, error, isFetching } = useQuery({
    ...apiQuery('searchWorkspaceFiles', {
      params: { workspace_id: workspaceId },
      query: { q, limit: 100 },
    }),
    placeholderData: keepPreviousData,
    staleTime: 5000,
  });
  if (error !== null) return <Notice kind="warn">{explain(error)}</Notice>;
  const rows = (data?.paths ?? []).map((path) => ({ key: path, level: 1, name: path }));
  return (
    <>
      <p role="status" className={rows.length > 0 ? 'sr-only' : 'p-2 text-sm text-muted'}>
        {isFetching
          ? 'Searching…'
          : rows.length === 0
            ? 'No matching files'
            : `${rows.length} files`}
      </p>
      <Tree label="Matching files" rows={rows} onToggle={() => undefined} onOpen={onOpen} />
    </>
  );
}
