import { Brain } from 'lucide-react';
import { useState } from 'react';
import type { BlockStream } from '../../markdown/blocks/block-stream.ts';
import { BlockGroupView } from '../../markdown/blocks-view.tsx';
import { useCell } from '../../state/cell.ts';
import type { Folds } from '../../state/chat/folds.ts';
import type { Piece, ThinkingTime } from '../../state/chat/pieces.ts';
import { cx } from '../../ui/class-names.ts';
import { duration } from '../../format/time.ts';
import { useNow } from '../../ui/use-now.ts';
import { Fold } from './fold.tsx';

/** The model's reasoning, collapsed to a line with its duration. */
export function Reasoning({
  piece,
  folds,
}: {
  readonly piece: Extract<Piece, { kind: 'reasoning' }>;
  readonly folds: Folds;
}) {
  const time = useCell(piece.time);
  return (
    <Fold
      label="Reasoning"
      folds={folds}
      foldKey={piece.key}
      icon={<Brain className={cx(isThinking(time) && 'animate-pulse')} />}
      title={<Heading time={time} />}
    >
      <Thoughts stream={piece.stream} />
    </Fold>
  );
}

const isThinking = ({ startedAt, endedAt }: ThinkingTime): boolean =>
  startedAt !== undefined && endedAt === undefined;

function Heading({ time }: { readonly time: ThinkingTime }) {
  const { startedAt, endedAt } = time;
  const now = useNow(isThinking(time));
  if (startedAt === undefined) return 'Reasoning';
  if (endedAt !== undefined) return `Thought for ${duration(Math.max(0, endedAt - startedAt))}`;
  return `Thinking · ${Math.max(0, Math.round((now - startedAt) / 1000))} s`;
}

/** The maximum number of groups rendered at first. */
const GROUPS = 20;

function Thoughts({ stream }: { readonly stream: BlockStream }) {
  const groups = useCell(stream.groups);
  const [all, setAll] = useState(false);
  const shown = all ? groups : groups.slice(-GROUPS);
  return (
    <div className="flex flex-col gap-2.5">
      {shown.length < groups.length && (
        <button type="button" className="self-start underline" onClick={() => setAll(true)}>
          Show earlier reasoning
        </button>
      )}
      {shown.map((group) => (
        <BlockGroupView key={group.key} group={group} stream={stream} />
      ))}
    </div>
  );
}
