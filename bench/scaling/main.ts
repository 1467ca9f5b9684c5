/* `npm run scaling -- --chats-per-day 50000 --calls-per-turn 8`: the load of a deployment, from measured costs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../report/result.ts';
import { TYPICAL, type Workload } from './load-model.ts';
import { busTable, commitTable, loadTable, machineTable, searchTable } from './table.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const nameOf = (field: string) =>
  field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const fields = Object.keys(TYPICAL) as (keyof Workload)[];
const { values } = parseArgs({
  options: Object.fromEntries(
    fields.map((field) => [
      nameOf(field),
      { type: 'string' as const, default: String(TYPICAL[field]) },
    ]),
  ),
});
const workload = Object.fromEntries(
  fields.map((field) => {
    const value = Number(values[nameOf(field)]);
    if (!Number.isFinite(value) || value < 0) {
      throw new Error(`--${nameOf(field)} must be a number that is not negative.`);
    }
    return [field, value];
  }),
) as unknown as Workload;

console.log(fields.map((field) => `--${nameOf(field)} ${workload[field]}`).join(' '));
await print('sizing', loadTable);
await print('store', commitTable);
await print('bus', busTable);
await print('search', searchTable);
await print('machines', machineTable);
console.log('Plan for twice as much.');

async function print(
  name: string,
  table: (data: never, workloads: readonly Workload[]) => string,
): Promise<void> {
  const file = join(import.meta.dirname, '..', 'results', `${name}.json`);
  const { data, machine } = JSON.parse(await readFile(file, 'utf8')) as Result<never>;
  console.log(`\n${table(data, [workload])}`);
  console.log(`\nMeasured on ${machine.processor} (npm run bench:${name}).`);
}
