import { Pencil } from 'lucide-react';
import { useDeferredCell, useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Button } from '../../ui/button.tsx';
import { Keys } from '../../ui/keys.tsx';
import { Banner } from './banner.tsx';

/** Explains the effect of saving an edit. */
export function EditingBanner({
  composing,
  store,
}: {
  readonly composing: ComposerState;
  readonly store: ChatStore;
}) {
  const message = useCell(composing.editing);
  const later = useDeferredCell(store.messages).some(
    ({ id }) => message !== null && id > message.id,
  );
  const queued = useCell(store.queue).length;
  const status = useCell(store.status);
  const changes = useCell(store.fileChanges);
  const restoring = useCell(composing.restoring);
  if (message === null) return null;
  const busy = status !== 'waiting' && status !== 'error';
  // The first change since the message.
  const change = changes.findLast(({ before }) => (before.turn_message_id ?? 0) >= message.id);
  return (
    <Banner
      kind="warn"
      icon={<Pencil />}
      live="status"
      actions={
        <Button size="small" onClick={() => cancelEditing(composing)}>
          Cancel <Keys keys="escape" />
        </Button>
      }
    >
      <span className="font-medium">Editing: </span>
      the chat will run again from here.{' '}
      {later ? 'The message and all later ones remain' : 'The message remains'} as a version.
      {busy && ' The turn will stop.'}
      {queued > 0 && ' The queue will be cleared.'}
      {change === undefined || busy ? (
        ' Workspace files are not changed.'
      ) : (
        <Checkbox
          label="Restore the files to before this message"
          checked={restoring}
          onChange={(checked) => composing.restoring.set(checked)}
        />
      )}
    </Banner>
  );
}

export function cancelEditing(composing: ComposerState): void {
  composing.editing.set(null);
  composing.notice.set(null);
  composing.focus();
}
