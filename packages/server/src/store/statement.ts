/**
 * An SQL statement, prepared once per connection. `test/store/statements.test.ts` compares its types with PostgreSQL.
 */
export interface Statement<Params, Row> {
  readonly name: string;
  /** With `$1`, `$2` … instead of named parameters. */
  readonly text: string;
  /** The parameters in the order of their numbers. */
  readonly parameters: readonly string[];
  /** Type information only. */
  readonly types?: { readonly params: Params; readonly row: Row };
}

/** Strings, quoted names, comments and casts, which contain no parameters, or a parameter. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|::|:([a-z_]\w*)/g;

/** Compiles named parameters (`:chat_id`). `Params` is null without parameters, `Row` is never without rows. */
export function statement<Params extends object | null, Row>(
  name: string,
  sql: string,
): Statement<Params, Row> {
  const parameters: string[] = [];
  const text = sql.replaceAll(TOKENS, (token, parameter?: string) => {
    if (parameter === undefined) return token;
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text, parameters };
}

/** The arguments of a query after its statement. */
export type ParamsOf<Params> = Params extends null ? [] : [params: Params];

/** The parameter values in order. */
export const valuesOf = <Params>(
  { parameters }: Statement<Params, unknown>,
  ...[params]: ParamsOf<NoInfer<Params>>
): unknown[] => parameters.map((name) => (params as Record<string, unknown>)[name]);

/** A connection pool or a transaction. */
export interface Queryable {
  query<Params, Row>(
    statement: Statement<Params, Row>,
    ...params: ParamsOf<NoInfer<Params>>
  ): Promise<Row[]>;
}

/** The one row that a statement always returns. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that always returns a row returned none.');
  return row;
}
