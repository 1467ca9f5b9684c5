import type { Statement } from '../../../packages/server/src/store/statement.ts';
import type { Session } from '../postgres.ts';

/** What a statement does. */
export interface Handler {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly run: (session: Session, params: never) => unknown[] | Promise<unknown[]>;
}

type Given<Params> = Params extends null ? Record<string, never> : Params;

export const on = <Params, Row>(
  { name, parameters }: Statement<Params, Row>,
  run: (session: Session, params: Given<Params>) => Row[] | Promise<Row[]>,
): Handler => ({ name, parameters, run });
