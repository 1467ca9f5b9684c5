import type { Client } from 'pg';
import { type ParamsOf, type Statement, valuesOf } from '../../src/store/statement.ts';

export const PLAN_MODES = ['force_custom_plan', 'force_generic_plan'] as const;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

const literal = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
};

/** The plan of a prepared statement: custom for these values or, as the server uses after a few runs, generic. */
export async function planOf<Params>(
  client: Client,
  statement: Statement<Params, unknown>,
  mode: (typeof PLAN_MODES)[number],
  ...params: ParamsOf<NoInfer<Params>>
): Promise<{ indexes: string[]; scanned: string[] }> {
  const { name, text } = statement;
  await client.query(`SET plan_cache_mode = ${mode}`);
  await client.query(`PREPARE "${name}" AS ${text}`);
  const given = valuesOf(statement, ...params)
    .map((value) => `'${literal(value)}'`)
    .join(', ');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE "${name}" (${given})`,
  );
  await client.query(`DEALLOCATE "${name}"`);
  const all = nodes(rows[0]!['QUERY PLAN'][0].Plan);
  return {
    indexes: all.flatMap((node) => node['Index Name'] ?? []),
    scanned: all
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .flatMap((node) => node['Relation Name'] ?? []),
  };
}
