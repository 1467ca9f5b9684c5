import type { Message } from '@chatd/protocol';
import type { Piece } from '../../state/chat/pieces.ts';
import { LIVE, type Row } from './row.ts';
import { summaryOf } from './turn.ts';

/** Rows that have been made stay the same objects, so that nothing is drawn again that has not changed. */
export class RowBuilder {
  readonly #piecesOf: (message: Message) => readonly Piece[];
  readonly #ofMessage = new WeakMap<Message, readonly Row[]>();
  readonly #days = new WeakMap<Message, Row>();
  readonly #ends = new WeakMap<Message, { readonly row: Row; readonly count: number }>();

  constructor(piecesOf: (message: Message) => readonly Piece[]) {
    this.#piecesOf = piecesOf;
  }

  /** `running`: the last turn is not over. */
  build(messages: readonly Message[], running: boolean): Row[] {
    const rows: Row[] = [];
    let turn: Message[] = [];
    let model: string | undefined;
    let day = '';
    const endTurn = () => {
      const end = this.#end(turn, model);
      if (end?.kind === 'turn-end') {
        model = end.turn.modelConfigId ?? model;
        rows.push(end);
      }
      turn = [];
    };
    for (const message of messages) {
      if (message.role === 'user') {
        endTurn();
        const today = dayOf(message.created_at);
        if (today !== day) rows.push(this.#day(message));
        day = today;
      }
      turn.push(message);
      for (const row of this.#rowsOf(message)) rows.push(row);
    }
    if (!running) endTurn();
    return rows;
  }

  /** Nothing was answered, nothing is summed up. */
  #end(turn: readonly Message[], model: string | undefined): Row | undefined {
    const last = turn.at(-1);
    if (last === undefined || !turn.some(({ role }) => role === 'assistant')) return undefined;
    const known = this.#ends.get(last);
    if (known?.count === turn.length) return known.row;
    const row: Row = {
      kind: 'turn-end',
      key: `${last.id}/end`,
      messageId: last.id,
      turn: summaryOf(turn, model),
    };
    this.#ends.set(last, { row, count: turn.length });
    return row;
  }

  #day(message: Message): Row {
    const known = this.#days.get(message);
    if (known !== undefined) return known;
    const { created_at: time, id } = message;
    const row: Row = { kind: 'day', key: `${id}/day`, messageId: id, time };
    this.#days.set(message, row);
    return row;
  }

  #rowsOf(message: Message): readonly Row[] {
    const known = this.#ofMessage.get(message);
    if (known !== undefined) return known;
    const rows = this.#make(message);
    this.#ofMessage.set(message, rows);
    return rows;
  }

  #make(message: Message): readonly Row[] {
    const { id: messageId } = message;
    if (message.role === 'user') {
      return [{ kind: 'user', key: `${messageId}`, messageId, message }];
    }
    const rows =
      message.role === 'assistant'
        ? this.#piecesOf(message).flatMap((piece) => rowsOfPiece(piece, messageId))
        : [];
    const reason = message.cut_off;
    if (reason === undefined) return rows;
    return [...rows, { kind: 'cut-off', key: `${messageId}/cut`, messageId, reason }];
  }
}

export function rowsOfPiece(piece: Piece, messageId: number = LIVE): Row[] {
  const placed = { key: piece.key, messageId };
  switch (piece.kind) {
    case 'text':
      return piece.stream.groups.get().map((group) => ({
        kind: 'text',
        key: `${piece.key}/${group.key}`,
        messageId,
        group,
        stream: piece.stream,
      }));
    case 'reasoning':
      return [{ ...placed, kind: 'reasoning', piece }];
    case 'call':
      return [{ ...placed, kind: 'tool', callId: piece.callId }];
    case 'sources':
      return [{ ...placed, kind: 'sources', sources: piece.sources }];
    case 'file':
      return [{ ...placed, kind: 'file', part: piece.part }];
    case 'reference':
      return [{ ...placed, kind: 'reference', part: piece.part }];
  }
}

/** In the time of who reads. */
const dayOf = (time: string): string => new Date(time).toDateString();
