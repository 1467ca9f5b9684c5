import type { Row } from './row.ts';

type ToolRow = Extract<Row, { kind: 'tool' }>;

/** This many consecutive calls become one row. */
const LEAST = 3;

/** Folds consecutive reads, lists and searches into one row. Such a row keeps its identity while its calls do. */
export class ExplorationFold {
  /** Whether a call only looked at something, and needs no attention. */
  readonly #explores: (callId: string) => boolean;
  readonly #known = new Map<string, Row>();

  constructor(explores: (callId: string) => boolean) {
    this.#explores = explores;
  }

  fold(rows: readonly Row[]): Row[] {
    const folded: Row[] = [];
    let run: ToolRow[] = [];
    const end = () => {
      if (run.length < LEAST) folded.push(...run);
      else folded.push(this.#rowOf(run));
      run = [];
    };
    for (const row of rows) {
      if (row.kind === 'tool' && this.#explores(row.callId)) {
        run.push(row);
      } else {
        end();
        folded.push(row);
      }
    }
    end();
    return folded;
  }

  #rowOf(run: readonly ToolRow[]): Row {
    const key = `${run[0]?.key}/explored`;
    const messageId = run[0]?.messageId ?? 0;
    const known = this.#known.get(key);
    const same =
      known?.kind === 'explored' &&
      known.messageId === messageId &&
      known.callIds.length === run.length &&
      run.every(({ callId }, at) => known.callIds[at] === callId);
    if (same) return known;
    const row: Row = {
      kind: 'explored',
      key,
      messageId,
      callIds: run.map(({ callId }) => callId),
    };
    this.#known.set(key, row);
    return row;
  }
}
