/* `npm run scaling -- --chats-per-day 50000 --calls-per-turn 8`: the load of a deployment, from measured costs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Result } from '../report/result.ts';
import type { SizingData } from '../report/sizing.ts';
import { TYPICAL, type Workload } from './load-model.ts';
import { loadTable } from './table.ts';

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

const file = join(import.meta.dirname, '..', 'results', 'sizing.json');
const { data, machine } = JSON.parse(await readFile(file, 'utf8')) as Result<SizingData>;
console.log(fields.map((field) => `--${nameOf(field)} ${workload[field]}`).join(' '));
console.log(`\n${loadTable(data, [workload])}\n`);
console.log(
  `Costs measured on ${machine.processor} (npm run bench:sizing). Plan for twice as much.`,
);
