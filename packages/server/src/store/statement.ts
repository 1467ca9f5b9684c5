/** One SQL statement, prepared once per connection. `test/store/statements.test.ts` compares both types with PostgreSQL. */
export interface Statement<Params, Row> {
  readonly name: string;
  /** With `$1`, `$2` … in the place of named parameters. */
  readonly text: string;
  /** The parameters in the order of their numbers. */
  readonly parameters: readonly string[];
  /** Only for the type checker. */
  readonly types?: { readonly params: Params; readonly row: Row };
}

/** Strings, quoted names, comments and casts, none of which hold parameters; then `:name`. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|::|:([a-z_]\w*)/g;

/** Compiles named parameters (`:chat_id`). `Params` is null for a statement without any, `Row` is never for one without rows. */
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

/** The arguments of a query besides its statement: none if it has no parameters. */
export type ParamsOf<Params> = Params extends null ? [] : [params: Params];

/** The values of a statement in the order of its parameters. */
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
