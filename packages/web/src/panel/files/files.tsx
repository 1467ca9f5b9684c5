import type { Chat } from '@chatd/protocol';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FolderOpen, RefreshCw, Search } from 'lucide-react';
import { type DragEvent, useDeferredValue, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { counted } from '../../format/number.ts';
import { apiQuery } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { useCanEdit } from '../../state/access.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { PanelBar } from '../panel-bar.tsx';
import type { PanelTabProps } from '../tabs.ts';
import { Tree } from '../tree/tree.tsx';
import { WorkspaceGate } from '../workspace-gate.tsx';
import { FileView } from './file-view.tsx';
import { TransferMenu } from './transfer-menu.tsx';
import { droppedItems, FileUpload, type UploadItem } from './upload-files.ts';
import { UploadNotice } from './upload-notice.tsx';
import { useFileTree } from './use-file-tree.ts';
import { toast } from '../../ui/toast.ts';

export default function FilesTab({ chat }: PanelTabProps) {
  return (
    <WorkspaceGate chat={chat} what="A list of files" stoppedIsFine>
      {({ id }) => <Files key={id} chat={chat} workspaceId={id} />}
    </WorkspaceGate>
  );
}

function Files({ chat, workspaceId }: { readonly chat: Chat; readonly workspaceId: string }) {
  const canEdit = useCanEdit();
  const [shown, setShown] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const [query, setQuery] = useState('');
  /** Where the toolbar uploads to and downloads from. */
  const [folder, setFolder] = useState('.');
  const [dropFolder, setDropFolder] = useState<string>();
  const [upload, setUpload] = useState<FileUpload>();
  const [uploading, setUploading] = useState(false);
  const tree = useFileTree(workspaceId, shown);
  const open = (path: string) => {
    setShown(path);
    setIsOpen(true);
  };
  const send = async (next: FileUpload, items: readonly UploadItem[], overwrite = false) => {
    setUpload(next);
    setUploading(true);
    await next.run(items, overwrite);
    setUploading(false);
    tree.refresh();
    const { failures, conflicts, finished } = next.state.get();
    if (failures.length + conflicts.length > 0 || finished < items.length) return;
    toast(finished === 1 ? 'File uploaded' : `${finished} files uploaded`);
  };
  const uploadTo = (target: string, items: readonly UploadItem[]) => {
    if (items.length > 0 && !uploading) void send(new FileUpload(workspaceId, target), items);
  };
  if (isOpen && shown !== undefined) {
    const back = () => {
      setIsOpen(false);
      tree.refresh();
    };
    return <FileView chat={chat} workspaceId={workspaceId} path={shown} onBack={back} />;
  }
  const onDragOver = (event: DragEvent<HTMLElement>) => {
    if (!canEdit || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setDropFolder(folderAt(event.target));
  };
  const onDrop = (event: DragEvent<HTMLElement>) => {
    setDropFolder(undefined);
    if (!canEdit || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    const target = folderAt(event.target);
    droppedItems(event.dataTransfer).then(
      (items) => uploadTo(target, items),
      (error: unknown) => toast.error(explain(error)),
    );
  };
  return (
    <div
      className="relative flex h-full flex-col"
      onDragOver={onDragOver}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setDropFolder(undefined);
      }}
      onDrop={onDrop}
    >
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
        <TransferMenu
          workspaceId={workspaceId}
          folder={folder}
          disabled={uploading}
          onFiles={(items) => uploadTo(folder, items)}
        />
        <IconButton label="Refresh" size="small" disabled={tree.busy} onClick={tree.refresh}>
          {tree.busy ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      {upload !== undefined && (
        <UploadNotice
          upload={upload}
          onRetry={() => void send(upload, upload.state.get().conflicts, true)}
          onClose={() => setUpload(undefined)}
        />
      )}
      <div className="min-h-0 flex-1 overflow-auto p-2">
        {tree.error !== undefined && (
          <Notice kind="warn" title="The files cannot be shown">
            {tree.error}
          </Notice>
        )}
        {query.trim() === '' ? (
          <>
            {tree.rows.length === 0 && !tree.busy && tree.error === undefined && (
              <EmptyState icon={<FolderOpen />} title="The workspace is empty">
                Drop files here to upload them.
              </EmptyState>
            )}
            <Tree
              label="Files"
              rows={tree.rows}
              onToggle={tree.toggle}
              onOpen={open}
              onActive={(row) => setFolder(folderOf(row.key, row.expanded !== undefined))}
            />
          </>
        ) : (
          <Found workspaceId={workspaceId} query={query} onOpen={open} />
        )}
      </div>
      {dropFolder !== undefined && (
        <p
          role="status"
          className="pointer-events-none absolute inset-1 z-10 flex items-end justify-center rounded-xl border-2 border-dashed border-accent p-3"
        >
          <span className="rounded-lg bg-raised px-3 py-1.5 text-sm font-medium shadow-pop">
            Drop to upload to {dropFolder === '.' ? 'the workspace' : safeText(dropFolder)}, up to
            10 MiB per file
          </span>
        </p>
      )}
    </div>
  );
}

const folderOf = (path: string, isFolder: boolean): string =>
  isFolder ? path : path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';

/** The folder under the pointer. */
function folderAt(target: EventTarget): string {
  const row = target instanceof Element ? target.closest<HTMLElement>('[role="treeitem"]') : null;
  if (row === null) return '.';
  return folderOf(row.dataset['key'] ?? '', row.hasAttribute('aria-expanded'));
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
            : counted(rows.length, 'file')}
      </p>
      <Tree label="Matching files" rows={rows} onToggle={() => undefined} onOpen={onOpen} />
    </>
  );
}
