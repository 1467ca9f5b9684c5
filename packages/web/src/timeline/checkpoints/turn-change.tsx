import type { FileChange } from '@chatd/protocol/presentation';
import { FileDiff } from 'lucide-react';
import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { onDemand } from '../../ui/on-demand.tsx';
import { LineCounts } from '../tools/line-counts.tsx';

const ChangeDialog = onDemand(async () => (await import('./change-dialog.tsx')).ChangeDialog);

/** The change of the turn's files, if the workspace has a checkpoint of it. */
export function useTurnChange(store: ChatStore, questionId: number): FileChange | undefined {
  return useCell(store.fileChanges).find(
    ({ after }) => after.kind === 'step' && after.turn_message_id === questionId,
  );
}

/** What a turn changed in the workspace: "+12 −3 in 4 files". Opens its diff. */
export function TurnChange({
  store,
  change,
  className,
}: {
  readonly store: ChatStore;
  readonly change: FileChange;
  readonly className: string;
}) {
  const [open, setOpen] = useState(false);
  const { additions, deletions, files } = change.after;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className={`flex items-center hover:bg-hover hover:text-text pointer-coarse:min-h-11 ${className}`}
      >
        <FileDiff aria-hidden className="size-[1.15em] shrink-0 text-muted" />
        <LineCounts added={additions} removed={deletions} />
        <span>in {counted(files, 'file')}</span>
      </button>
      {open && <ChangeDialog store={store} change={change} onClose={() => setOpen(false)} />}
    </>
  );
}
