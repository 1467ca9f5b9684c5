import { ChatdProblem } from '@chatd/client';
import type { FileChange } from '@chatd/protocol/presentation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { ChangedFileList, entriesOf } from '../../panel/changes/changed-file-list.tsx';
import { useCanEdit } from '../../state/access.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { useChat } from '../../state/chats/use-chat-list.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.ts';
import { loadFileChanges } from './use-file-changes.ts';

const LEFT_OUT =
  'Checkpoints leave out .git, node_modules and similar folders, and what .gitignore files name.';

/** The diff of a turn, and the restore of the files to before it. */
export function ChangeDialog({
  store,
  change: { before, after },
  onClose,
}: {
  readonly store: ChatStore;
  readonly change: FileChange;
  readonly onClose: () => void;
}) {
  const { chatId } = store;
  const chat = useChat(chatId);
  const canEdit = useCanEdit();
  const { data, error } = useQuery(
    apiQuery('getCheckpointDiff', { params: { chat_id: chatId, checkpoint_id: after.id } }),
  );
  const entries = useMemo(() => entriesOf(data), [data]);
  const restore = useRestore(store, before.id, onClose);
  return (
    <Dialog
      title={`Changes of this turn: ${counted(after.files, 'file')}`}
      description={LEFT_OUT}
      open
      onOpenChange={onClose}
      wide
      actions={
        canEdit && (
          <>
            {restore.busy && (
              <p className="mr-auto self-center text-sm text-muted">
                Interrupt the turn to restore files.
              </p>
            )}
            <Button
              kind={restore.conflicts.length > 0 ? 'danger' : 'plain'}
              disabled={restore.busy || restore.doing}
              onClick={() => void restore.run()}
            >
              {restore.doing ? <Spinner /> : <Undo2 className="size-4" />}
              {restore.conflicts.length > 0
                ? 'Overwrite and restore'
                : 'Restore to before this turn'}
            </Button>
          </>
        )
      }
    >
      {restore.failure !== undefined && (
        <Notice kind="bad" live className="mb-3">
          {restore.failure}
        </Notice>
      )}
      {restore.conflicts.length > 0 && <Conflicts paths={restore.conflicts} />}
      {after.too_large.length > 0 && (
        <Notice className="mb-3" title="Not recorded, because larger than 10 MiB">
          {after.too_large.map(safeText).join(', ')}
        </Notice>
      )}
      {error !== null && (
        <Notice kind="warn" title="The changes cannot be shown">
          {explain(error)}
        </Notice>
      )}
      {data === undefined && error === null && <Spinner label="Loading changes" />}
      {chat !== undefined && entries.length > 0 && (
        <ChangedFileList chat={chat} entries={entries} />
      )}
      {data?.repositories.some(({ patch_cut, more_files }) => patch_cut || more_files) && (
        <Notice className="mt-3">The diff is too large to show completely.</Notice>
      )}
    </Dialog>
  );
}

function Conflicts({ paths }: { readonly paths: readonly string[] }) {
  return (
    <Notice
      kind="warn"
      live
      className="mb-3"
      title="These files were changed since by others. The restore would overwrite them."
    >
      <ul className="max-h-40 overflow-y-auto font-mono text-xs">
        {paths.map((path) => (
          <li key={path}>{safeText(path)}</li>
        ))}
      </ul>
    </Notice>
  );
}

function useRestore(store: ChatStore, checkpointId: string, onDone: () => void) {
  const queries = useQueryClient();
  const status = useCell(store.status);
  const [doing, setDoing] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [conflicts, setConflicts] = useState<readonly string[]>([]);
  const run = async () => {
    setDoing(true);
    setFailure(undefined);
    try {
      const { files, id } = await restoreFiles(store.chatId, checkpointId, conflicts.length > 0);
      await loadFileChanges(store);
      void queries.invalidateQueries({ queryKey: ['getChatDiff'] });
      const restored = store.fileChanges.get().find(({ after }) => after.id === id);
      toast(`Restored ${counted(files, 'file')}.`, {
        ...(restored !== undefined && {
          action: { label: 'Undo', onClick: () => void undo(store, restored.before.id) },
        }),
      });
      onDone();
    } catch (error) {
      if (
        error instanceof ChatdProblem &&
        error.code === 'files_changed' &&
        error.errors.length > 0
      )
        setConflicts(error.errors.map(({ path }) => path));
      else setFailure(explain(error));
    } finally {
      setDoing(false);
    }
  };
  return { run, doing, failure, conflicts, busy: status !== 'waiting' && status !== 'error' };
}

async function undo(store: ChatStore, checkpointId: string): Promise<void> {
  try {
    await restoreFiles(store.chatId, checkpointId, false);
    await loadFileChanges(store);
    toast('The restore was undone.');
  } catch (error) {
    toast.error(explain(error));
  }
}

const restoreFiles = (chatId: string, checkpointId: string, overwrite: boolean) =>
  client.call('restoreCheckpoint', {
    params: { chat_id: chatId, checkpoint_id: checkpointId },
    body: { overwrite },
  });
