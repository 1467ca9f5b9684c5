import { FileDiff } from 'lucide-react';
import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { onDemand } from '../../ui/on-demand.tsx';
import { LineCounts } from '../tools/line-counts.tsx';

const ChangeDialog = onDemand(async () => (await import('./change-dialog.tsx')).ChangeDialog);

/** What a turn changed in the workspace: "+12 −3 in 4 files". Opens its diff. */
export function TurnChange({
  store,
  questionId,
}: {
  readonly store: ChatStore;
  readonly questionId: number;
}) {
  const [open, setOpen] = useState(false);
  const change = useCell(store.fileChanges).find(
    ({ after }) => after.kind === 'step' && after.turn_message_id === questionId,
  );
  if (change === undefined) return null;
  const { additions, deletions, files } = change.after;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="inline-flex items-center gap-1 rounded px-1 hover:bg-hover hover:text-text pointer-coarse:min-h-11"
      >
        <FileDiff aria-hidden className="size-3.5" />
        <LineCounts added={additions} removed={deletions} />
        <span>in {counted(files, 'file')}</span>
      </button>
      {open && <ChangeDialog store={store} change={change} onClose={() => setOpen(false)} />}
    </>
  );
}
