import type { ChatStore } from '../../state/chat/chat-store.ts';
import { type Frames, pageFrames } from '../../state/chat/frames.ts';
import type { Piece } from '../../state/chat/pieces.ts';
import { explores } from '../tools/exploration.ts';
import { RowBuilder, rowsOfPiece } from './build-rows.ts';
import { LIVE, type Row } from './row.ts';

const START: Row = { kind: 'start', key: 'start', messageId: 0 };
const TAIL: Row = { kind: 'tail', key: 'tail', messageId: LIVE };

/** Maintains the rows of a chat. Notifies once per frame, and not for deltas within an existing row. */
export class TimelineRows {
  readonly #store: ChatStore;
  readonly #builder: RowBuilder;
  readonly #tell: (rows: readonly Row[]) => void;
  readonly #frames: Frames;
  readonly #leave: (() => void)[] = [];
  #leaveLive: (() => void)[] = [];
  #liveRows = new Map<string, Row>();
  #committedStale = true;
  #running: boolean;
  #waiting = false;
  #closed = false;

  constructor(
    store: ChatStore,
    tell: (rows: readonly Row[]) => void,
    frames: Frames = pageFrames(),
  ) {
    this.#store = store;
    this.#tell = tell;
    this.#frames = frames;
    this.#running = runs(store);
    this.#builder = new RowBuilder(
      (message) => store.piecesOf(message),
      (callId) => explores(store.tools.view(callId)?.get()),
    );
    this.#leave.push(
      store.messages.subscribe(this.#historyChanged),
      store.status.subscribe(this.#statusChanged),
      store.live.list.subscribe(this.#liveChanged),
      store.awaited.subscribe(this.#soon),
    );
    this.#liveChanged();
    this.#update();
  }

  close(): void {
    this.#closed = true;
    this.#frames.cancel();
    for (const leave of [...this.#leave, ...this.#leaveLive]) leave();
  }

  readonly #historyChanged = (): void => {
    this.#committedStale = true;
    this.#soon();
  };

  /** The footer of a finished turn is added in a separate frame, because the frame of its last words is busy. */
  readonly #statusChanged = (): void => {
    if (runs(this.#store)) this.#follow();
    else this.#frames.request(this.#follow);
  };

  readonly #follow = (): void => {
    const running = runs(this.#store);
    if (running === this.#running) return;
    this.#running = running;
    this.#historyChanged();
  };

  readonly #liveChanged = (): void => {
    for (const leave of this.#leaveLive) leave();
    this.#leaveLive = this.#store.live.list
      .get()
      .flatMap((piece) =>
        piece.kind === 'text' ? [piece.stream.groups.subscribe(this.#soon)] : [],
      );
    this.#soon();
  };

  /** After all events of this frame: the end of a preview and its committed message are one change. */
  readonly #soon = (): void => {
    if (this.#waiting) return;
    this.#waiting = true;
    queueMicrotask(this.#update);
  };

  readonly #update = (): void => {
    this.#waiting = false;
    if (this.#closed) return;
    const live = this.#store.live.list.get().flatMap(this.#rowsOfLive);
    this.#liveRows = new Map(live.map((row) => [row.key, row]));
    const rows = this.#committedStale
      ? this.#builder.build(this.#store.messages.get(), this.#running, live)
      : this.#builder.withLive(live);
    this.#committedStale = false;
    rows.unshift(START);
    rows.push(TAIL);
    this.#tell(rows);
  };

  readonly #rowsOfLive = (piece: Piece): Row[] =>
    rowsOfPiece(piece).map((row) => {
      const known = this.#liveRows.get(row.key);
      // Sources are replaced as a whole; other pieces keep their rows.
      return known === undefined || row.kind === 'sources' ? row : known;
    });
}

function runs({ status }: ChatStore): boolean {
  const now = status.get();
  return now !== 'waiting' && now !== 'error';
}
