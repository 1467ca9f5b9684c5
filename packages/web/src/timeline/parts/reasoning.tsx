import { Brain, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { BlockStream } from '../../markdown/blocks/block-stream.ts';
import { BlockGroupView } from '../../markdown/blocks-view.tsx';
import { useCell } from '../../state/cell.ts';
import { type Folds, useFold } from '../../state/chat/folds.ts';
import type { Piece, ThinkingTime } from '../../state/chat/pieces.ts';
import { cx } from '../../ui/class-names.ts';
import { duration } from '../../ui/time.ts';
import { useNow } from '../../ui/use-now.ts';

/** What the model thought, folded: a line that says how long, and stays a line while it goes on. */
export function Reasoning({
  piece,
  folds,
}: {
  readonly piece: Extract<Piece, { kind: 'reasoning' }>;
  readonly folds: Folds;
}) {
  const [open, toggle] = useFold(folds, piece.key);
  const time = useCell(piece.time);
  const id = useId();
  return (
    <section aria-label="Reasoning" className="min-w-0 text-sm">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={toggle}
        className="flex min-h-7 max-w-full items-center gap-2 rounded-md px-1 text-muted hover:text-text"
      >
        <Brain aria-hidden className={cx('size-4 shrink-0', isThinking(time) && 'animate-pulse')} />
        <span className="truncate">
          <Heading time={time} />
        </span>
        <ChevronRight
          aria-hidden
          className={cx('size-4 shrink-0 transition-transform', open && 'rotate-90')}
        />
      </button>
      {open && (
        <div id={id} className="mt-1 ml-2.5 border-l-2 border-line pl-4 text-muted">
          <Thoughts stream={piece.stream} />
        </div>
      )}
    </section>
  );
}

const isThinking = ({ startedAt, endedAt }: ThinkingTime): boolean =>
  startedAt !== undefined && endedAt === undefined;

function Heading({ time }: { readonly time: ThinkingTime }) {
  const { startedAt, endedAt } = time;
  const now = useNow(isThinking(time));
  if (startedAt === undefined) return 'Thoughts';
  if (endedAt !== undefined) return `Thought for ${duration(Math.max(0, endedAt - startedAt))}`;
  return `Thinking · ${Math.max(0, Math.round((now - startedAt) / 1000))} s`;
}

/** However long the thoughts are, so many groups of them are drawn; the rest when it is asked for. */
const GROUPS = 20;

function Thoughts({ stream }: { readonly stream: BlockStream }) {
  const groups = useCell(stream.groups);
  const [all, setAll] = useState(false);
  const shown = all ? groups : groups.slice(-GROUPS);
  return (
    <div className="flex flex-col gap-2.5">
      {shown.length < groups.length && (
        <button type="button" className="self-start underline" onClick={() => setAll(true)}>
          Show what came before
        </button>
      )}
      {shown.map((group) => (
        <BlockGroupView key={group.key} group={group} stream={stream} />
      ))}
    </div>
  );
}
