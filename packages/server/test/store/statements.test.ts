import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type Connection, type FieldDef } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type Statement, statement } from '../../src/store/statement.ts';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const ROOT = join(import.meta.dirname, '../../../..');
const STORE = join(import.meta.dirname, '../../src/store');

type AnyStatement = Statement<unknown, unknown>;

const isStatement = (value: object): value is AnyStatement => 'parameters' in value;

const files = (await readdir(join(STORE, 'queries'), { recursive: true }))
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .map((file) => join(STORE, 'queries', file));
const modules = await Promise.all(files.map((file) => import(file)));
const statements = modules.flatMap((module, index) => statementsIn(`m${index}`, module));

/** Each statement with its expression in the generated program. */
function statementsIn(expression: string, value: unknown): [string, AnyStatement][] {
  if (typeof value !== 'object' || value === null) return [];
  if (isStatement(value)) return [[expression, value]];
  return Object.entries(value).flatMap(([key, item]) => statementsIn(`${expression}.${key}`, item));
}

const client = new Client({ connectionString: (await createTestDatabase()).url });
await client.connect();
afterAll(() => client.end());

async function namesBy(sql: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ key: string; value: string }>(sql);
  return new Map(rows.map(({ key, value }) => [key, value]));
}
const typeNames = await namesBy(
  `SELECT oid::text AS key, format_type(oid, NULL) AS value FROM pg_type`,
);
/** Columns that are nullable, but not null in the rows that statements return. */
const NEVER_NULL = new Set([
  // A chat that a worker holds has a runner.
  'chats.runner_id',
  // Null only within the transaction that claims the key.
  'idempotency_keys.status',
  // Null once the owner is deleted, and then no user finds the workspace.
  'workspaces.owner_id',
]);
const nullableColumns = await namesBy(
  `SELECT attrelid || '.' || attnum AS key, attrelid::regclass || '.' || attname AS value
     FROM pg_attribute WHERE NOT attnotnull`,
);

/** Parses a statement and returns its columns, without running it. */
function prepare({ name, text }: AnyStatement): Promise<FieldDef[]> {
  const { promise, resolve, reject } = Promise.withResolvers<FieldDef[]>();
  let fields: FieldDef[] = [];
  client.query({
    submit(connection: Connection) {
      connection.parse({ name, text, types: [] }, true);
      connection.describe({ type: 'S', name }, true);
      connection.sync();
    },
    handleRowDescription: (message: { fields: FieldDef[] }) => (fields = message.fields),
    handleReadyForQuery: () => resolve(fields),
    handleError: reject,
  } as never);
  return promise;
}

/** The TypeScript types that the driver uses for PostgreSQL types. */
const TYPES: Record<string, string> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  'double precision': 'number',
  integer: 'number',
  text: 'string',
  'timestamp with time zone': 'Date',
  tsquery: 'string',
  uuid: 'string',
};

function typeScript(type: string, json: string): string {
  if (type.endsWith('[]')) return `readonly (${typeScript(type.slice(0, -2), json)})[]`;
  if (type === 'json' || type === 'jsonb') return json;
  const known = TYPES[type];
  if (known === undefined) throw new Error(`no TypeScript type for ${type}`);
  return known;
}

async function paramsOf({ name, parameters }: AnyStatement): Promise<string> {
  if (parameters.length === 0) return 'null';
  const { rows } = await client.query<{ types: string[] }>(
    'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1',
    [name],
  );
  const types = rows[0]?.types ?? [];
  const typed = parameters.map((key, at) => `${key}: ${typeScript(types[at] ?? '', 'JsonText')}`);
  return `{ ${typed.join('; ')} }`;
}

function rowOf(fields: readonly FieldDef[]): string {
  const columns = fields.flatMap(({ name, dataTypeID, tableID, columnID }) => {
    const type = typeNames.get(String(dataTypeID)) ?? '';
    const column = nullableColumns.get(`${tableID}.${columnID}`);
    const nullable = column !== undefined && !NEVER_NULL.has(column);
    return type === 'void'
      ? []
      : [`${name}: ${typeScript(type, '{}')}${nullable ? ' | null' : ''}`];
  });
  return columns.length === 0 ? 'never' : `{ ${columns.join('; ')} }`;
}

/**
 * `Params` has the parameters of the SQL, with values that the driver sends as their types. `Row` has the columns; where
 * a column of a table is nullable, so is the property. For a statement that differs, `check` does not accept 'ok', and
 * the error names the differences.
 */
const PRELUDE = `
import type { JsonText } from '${STORE}/json.ts';
import type { Statement } from '${STORE}/statement.ts';

type Keys<T> = T extends unknown ? keyof T : never;
type Value<T, K> = T extends unknown ? (K extends keyof T ? T[K] : null) : never;
type Differing<A, B> = Exclude<Keys<A>, Keys<B>> | Exclude<Keys<B>, Keys<A>>;
type Params<Declared, Sql> = Differing<Declared, Sql>
  | { [K in keyof Sql]: [Value<Declared, K>] extends [Sql[K] | null] ? never : K }[keyof Sql];
type Row<Declared, Sql> = Differing<Declared, Sql>
  | { [K in keyof Sql]: [NonNullable<Value<Declared, K>>] extends [NonNullable<Sql[K]>]
        ? null extends Sql[K] ? (null extends Value<Declared, K> ? never : K) : never
        : K }[keyof Sql];
type Ok<Wrong> = [Wrong] extends [never] ? 'ok' : Wrong;
declare function check<SqlParams, SqlRow>(): <P, R>(
  statement: Statement<P, R>, params: Ok<Params<P, SqlParams>>, row: Ok<Row<R, SqlRow>>) => void;
`;

async function errorsIn(lines: readonly string[]): Promise<string[]> {
  const directory = await makeTemporaryDirectory();
  const program = lines.join('\n').split('\n');
  await writeFile(join(directory, 'check.mts'), program.join('\n'));
  const compilerOptions = {
    noEmit: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions };
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ ...config, files: ['check.mts'] }),
  );
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', directory]).catch(
    (error: { readonly stdout: string }) => error,
  );
  return [...stdout.matchAll(/^(.*?)\((\d+),\d+\): error \S+ (.*)/gm)].map(
    ([, file, line, error]) => {
      const checked = /\((m[^,]*),/.exec(program[Number(line) - 1] ?? '')?.[1];
      return `${checked ?? `${file}:${line}`}: ${error}`;
    },
  );
}

const imports = files.map((file, index) => `import * as m${index} from '${file}';`);

test('PostgreSQL takes the parameters and returns the columns that each statement declares', async () => {
  const checks: string[] = [];
  for (const [expression, found] of statements) {
    const row = rowOf(await prepare(found));
    checks.push(`check<${await paramsOf(found)}, ${row}>()(${expression}, 'ok', 'ok');`);
  }
  expect(await errorsIn([PRELUDE, ...imports, ...checks])).toEqual([]);
}, 120_000);

test('a statement that declares wrong types is reported', async () => {
  const declared = `const m = { one: null as unknown as Statement<{ a: string; b: number }, { id: string; at: Date }> };`;
  const checks = [
    `check<{ a: string; b: number }, { id: string; at: Date }>()(m.one, 'ok', 'ok');`,
    `check<{ a: number; b: number }, { id: string; at: Date }>()(m.one, 'ok', 'ok');`,
    `check<{ a: string }, { id: string; at: Date }>()(m.one, 'ok', 'ok');`,
    `check<{ a: string; b: number }, { id: string; at: Date | null }>()(m.one, 'ok', 'ok');`,
    `check<{ a: string; b: number }, { id: string }>()(m.one, 'ok', 'ok');`,
  ];
  expect(await errorsIn([PRELUDE, declared, ...checks])).toEqual(
    ['"a"', '"b"', '"at"', '"at"'].map((name) =>
      expect.stringMatching(`^m\\.one: .* parameter of type '${name}'`),
    ),
  );
}, 120_000);

test('no two statements have the same name', () => {
  const names = statements.map(([, { name }]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('parameters are numbered in the order of their names, and casts, strings and comments have none', () => {
  const { text, parameters } = statement<{ b: string; a: string }, never>(
    'numbered',
    `SELECT :b::text, ':x', 'it''s :x', ":x", :a, :b -- :x`,
  );
  expect(text).toBe(`SELECT $1::text, ':x', 'it''s :x', ":x", $2, $1 -- :x`);
  expect(parameters).toEqual(['b', 'a']);
});
