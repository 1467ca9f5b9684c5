import type { Message } from '@chatd/protocol';
import type { Piece } from '../../state/chat/pieces.ts';
import { ExplorationFold } from './fold-exploration.ts';
import { LIVE, type Row } from './row.ts';
import { summaryOf } from './turn.ts';

/** The rows before the last turn, and the state that the next turn starts from. */
interface Before {
  readonly messages: readonly Message[];
  readonly rows: readonly Row[];
  readonly model: string | undefined;
  readonly day: string;
}

const NOTHING: Before = { messages: [], rows: [], model: undefined, day: '' };

/**
 * Existing rows keep their identity, so that only changes render. A new message costs its own turn, not the whole
 * history.
 */
export class RowBuilder {
  readonly #piecesOf: (message: Message) => readonly Piece[];
  readonly #ofMessage = new WeakMap<Message, readonly Row[]>();
  readonly #days = new WeakMap<Message, { readonly row: Row; readonly day: string }>();
  readonly #ends = new WeakMap<Message, { readonly row: Row; readonly count: number }>();
  readonly #exploration: ExplorationFold;
  #before: Before = NOTHING;
  #earlier: readonly Row[] = [];
  /** Its calls may still fail or need an approval, so they are folded anew each time. */
  #lastTurn: readonly Row[] = [];

  constructor(
    piecesOf: (message: Message) => readonly Piece[],
    explores: (callId: string) => boolean = () => false,
  ) {
    this.#piecesOf = piecesOf;
    this.#exploration = new ExplorationFold(explores);
  }

  /** `running`: the last turn has not ended, and `live` are the rows of the answer that is being written. */
  build(messages: readonly Message[], running: boolean, live: readonly Row[] = []): Row[] {
    const known = beginsWith(messages, this.#before.messages) ? this.#before : NOTHING;
    const rows = [...known.rows];
    let turnAt = rows.length;
    const foldTurn = () => {
      const folded = this.#exploration.fold(rows.splice(turnAt));
      for (const row of folded) rows.push(row);
      turnAt = rows.length;
    };
    let { model, day } = known;
    let turn: Message[] = [];
    let lastTurn: (() => Before) | undefined;
    const endTurn = () => {
      const end = this.#end(turn, model);
      if (end?.kind === 'turn-end') {
        model = end.turn.modelConfigId ?? model;
        rows.push(end);
      }
      turn = [];
    };
    for (let at = known.messages.length; at < messages.length; at += 1) {
      const message = messages[at];
      if (message === undefined) continue;
      if (message.role === 'user') {
        endTurn();
        foldTurn();
        const before = { count: rows.length, model, day };
        lastTurn = () => ({
          messages: messages.slice(0, at),
          rows: rows.slice(0, before.count),
          model: before.model,
          day: before.day,
        });
        const today = this.#day(message);
        if (today.day !== day) rows.push(today.row);
        day = today.day;
      }
      turn.push(message);
      for (const row of this.#rowsOf(message)) rows.push(row);
    }
    if (!running) endTurn();
    this.#before = lastTurn?.() ?? known;
    this.#earlier = rows.slice(0, turnAt);
    this.#lastTurn = rows.slice(turnAt);
    return this.withLive(live);
  }

  /** The rows of the last build, with other live rows. */
  withLive(live: readonly Row[]): Row[] {
    return [...this.#earlier, ...this.#exploration.fold([...this.#lastTurn, ...live])];
  }

  /** A turn without an answer has no footer. */
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

  #day(message: Message): { readonly row: Row; readonly day: string } {
    const known = this.#days.get(message);
    if (known !== undefined) return known;
    const { created_at: time, id } = message;
    const row: Row = { kind: 'day', key: `${id}/day`, messageId: id, time };
    const made = { row, day: dayOf(time) };
    this.#days.set(message, made);
    return made;
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

const beginsWith = (messages: readonly Message[], first: readonly Message[]): boolean =>
  first.every((message, at) => messages[at] === message);

/** In local time. */
const dayOf = (time: string): string => new Date(time).toDateString();
