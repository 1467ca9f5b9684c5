import type { FilePart, FileReferencePart, Message } from '@chatd/protocol';
import type { ListedSource } from '@chatd/protocol/presentation';
import type { BlockGroup } from '../../markdown/blocks/block.ts';
import type { BlockStream } from '../../markdown/blocks/block-stream.ts';
import type { Piece } from '../../state/chat/pieces.ts';
import type { TurnSummary } from './turn.ts';

interface Placed {
  /** Unchanged when the preview is committed. */
  readonly key: string;
  /** The id of its message; live rows come after all messages. */
  readonly messageId: number;
}

/** A row of bounded size, rendered and measured as a unit. */
export type Row = Placed &
  (
    | { readonly kind: 'start' }
    | { readonly kind: 'day'; readonly time: string }
    | { readonly kind: 'user'; readonly message: Message }
    | { readonly kind: 'text'; readonly group: BlockGroup; readonly stream: BlockStream }
    | { readonly kind: 'reasoning'; readonly piece: Extract<Piece, { kind: 'reasoning' }> }
    | { readonly kind: 'tool'; readonly callId: string }
    /** Consecutive reads, lists and searches. */
    | { readonly kind: 'explored'; readonly callIds: readonly string[] }
    | { readonly kind: 'sources'; readonly sources: readonly ListedSource[] }
    | { readonly kind: 'file'; readonly part: FilePart }
    | { readonly kind: 'reference'; readonly part: FileReferencePart }
    | { readonly kind: 'cut-off'; readonly reason: NonNullable<Message['cut_off']> }
    | { readonly kind: 'turn-end'; readonly turn: TurnSummary }
    | { readonly kind: 'tail' }
  );

/** After all messages. */
export const LIVE = Number.MAX_SAFE_INTEGER;

const CHARACTERS_A_LINE = 85;

/** An estimate; visible rows are measured. */
export function estimatedHeight(row: Row): number {
  switch (row.kind) {
    case 'start':
      return 48;
    case 'day':
      return 40;
    case 'user':
      return 90;
    case 'text':
      return row.group.blocks.get().reduce((sum, block) => sum + blockHeight(block), 8);
    case 'reasoning':
      return 36;
    case 'tool':
    case 'explored':
      return 28;
    case 'sources':
    case 'cut-off':
    case 'turn-end':
      return 40;
    case 'file':
      return 180;
    case 'reference':
      return 48;
    case 'tail':
      return 24;
  }
}

function blockHeight({ kind, text }: { readonly kind: string; readonly text: string }): number {
  const lines = text.split('\n');
  if (kind === 'code') return lines.length * 19 + 60;
  return lines.reduce(
    (sum, line) => sum + Math.ceil((line.length + 1) / CHARACTERS_A_LINE) * 23,
    12,
  );
}
