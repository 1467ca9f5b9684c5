import type { QueuedMessage } from '@chatd/protocol';
import { useEffect, useRef, useState } from 'react';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import { inOrder, moved } from './order.ts';
import { moveTo } from './queue-changes.ts';
import { QueueRow } from './queue-row.tsx';
import { useRowDrag } from './use-row-drag.ts';

/** Queued messages, in the order of delivery. */
export function Queue({
  store,
  composing,
}: {
  readonly store: ChatStore;
  readonly composing: ComposerState;
}) {
  const queue = useCell(store.queue);
  const status = useCell(store.status);
  const [wished, setWished] = useState<readonly number[]>();
  const list = useRef<HTMLOListElement>(null);
  const rows = inOrder(queue, wished);
  useEffect(() => setWished(undefined), [queue]);
  useArrivals(queue);

  const move = async (from: number, to: number) => {
    const message = rows[from];
    if (message === undefined || to < 0 || to >= rows.length || from === to) return;
    setWished(moved(rows, from, to).map(({ id }) => id));
    if (!(await moveTo(message, to))) setWished(undefined);
  };
  const { drag, handle } = useRowDrag(list, (from, to) => void move(from, to));

  if (rows.length === 0) return null;
  return (
    <section aria-label="Queue" className="rounded-xl border border-line bg-surface p-1">
      <p className="flex gap-2 px-2 pt-0.5 pb-1 text-xs text-muted">
        <span className="font-medium">
          {rows.length === 1 ? '1 message queued' : `${rows.length} messages queued`}
        </span>
        {status === 'error' && (
          <span>The turn failed. These are sent before your next message.</span>
        )}
      </p>
      <ol ref={list} className="max-h-[30dvh] overflow-y-auto overscroll-contain">
        {rows.map((message, index) => (
          <QueueRow
            key={message.id}
            message={message}
            index={index}
            count={rows.length}
            composing={composing}
            drag={drag}
            handle={handle(index)}
            onMove={(to) => void move(index, to)}
          />
        ))}
      </ol>
    </section>
  );
}

/** Announces messages that the agent has taken. The user's own changes are announced elsewhere. */
function useArrivals(queue: readonly QueuedMessage[]): void {
  const before = useRef(queue);
  useEffect(() => {
    const fewer = before.current.length > queue.length;
    before.current = queue;
    if (fewer) {
      announce(queue.length === 0 ? 'The queue is empty' : `${queue.length} in the queue`);
    }
  }, [queue]);
}
