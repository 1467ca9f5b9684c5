import type { CallAnswer, Client } from '@chatd/client';
import type { UsageGroup } from '@chatd/protocol';
import { command, JSON_OPTION, Option, type Run } from '../command-line/command.ts';
import { printJson, printList } from '../output/listing.ts';
import { duration, money, tokens } from '../output/quantities.ts';
import { timeOf } from './fields.ts';
import { listUsers } from './find-user.ts';
import { listGroups } from './groups.ts';
import { listModels } from './models.ts';

type Sums = CallAnswer<'getUsage'>['total'];

// Importing the schemas of the protocol would slow down the start of every command.
const GROUPS = [
  'user',
  'group',
  'model',
  'chat',
  'day',
  'kind',
] as const satisfies readonly UsageGroup[];

export const usage = (run: Run) =>
  command('usage', 'Show tokens, cost and runtime over a period', {
    details:
      'RUNTIME is the total runtime of model calls and tools, TOOLS the runtime of tools. Days are in UTC.',
    examples: [
      ['chatd usage --by model', 'Your last 30 days by model'],
      ['chatd usage --all --by user --from 2026-11-01 --to 2026-12-01', 'A month of all users'],
      ['chatd usage --all --by group --csv > usage.csv', 'A table for a spreadsheet'],
    ],
  })
    .addOption(new Option('--by <group>', 'Grouping. Default: day').choices(GROUPS))
    .option('--from <time>', 'First day or time. Default: 30 days before --to')
    .option('--to <time>', 'End day or time, exclusive. Default: now')
    .option('--all', 'Include all users. Requires an admin; access is logged')
    .option('--csv', 'Print comma-separated values, with IDs instead of names')
    .addOption(JSON_OPTION)
    .action(
      run(async (context, { by = 'day', from, to, all, csv, json }) => {
        const client = await context.client();
        const report = await client.call('getUsage', {
          query: {
            group_by: by,
            from: timeOf(from),
            to: timeOf(to),
            all: all === true ? 'true' : undefined,
          },
        });
        if (json === true) return printJson(context, report);
        const { groups, total } = report;
        if (csv === true) return context.print(table(groups, total));
        const names = groups.length === 0 ? new Map<string, string>() : await namesOf(client, by);
        printList(
          context,
          groups.length === 0 ? [] : [...groups, { ...total, key: 'total' }],
          [
            { title: by.toUpperCase(), value: ({ key }) => names.get(key) ?? key, flexible: true },
            { title: 'COST', align: 'right', value: ({ cost_micros }) => money(cost_micros) },
            { title: 'CALLS', align: 'right', value: ({ calls }) => String(calls) },
            { title: 'IN', align: 'right', value: (sums) => tokens(tokensIn(sums)) },
            { title: 'OUT', align: 'right', value: ({ output_tokens }) => tokens(output_tokens) },
            { title: 'RUNTIME', align: 'right', value: ({ runtime_ms }) => duration(runtime_ms) },
            { title: 'TOOLS', align: 'right', value: (sums) => duration(sums.tool_runtime_ms) },
          ],
          { json, none: 'No usage in this period.' },
        );
        if (total.unpriced_calls > 0) {
          context.log(`The cost excludes ${total.unpriced_calls} calls without a known price.`);
        }
      }),
    );

/** RFC 4180. Keys and numbers need no quotes. */
function table(groups: CallAnswer<'getUsage'>['groups'], total: Sums): string {
  const columns = Object.keys(total) as (keyof Sums)[];
  const rows = groups.map((group) => [group.key, ...columns.map((name) => group[name])]);
  return [['key', ...columns], ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

const tokensIn = (sums: Sums): number =>
  sums.input_tokens + sums.cache_read_tokens + sums.cache_creation_tokens;

/** Display names by ID, for groups that have any. */
async function namesOf(client: Client, by: UsageGroup): Promise<Map<string, string>> {
  if (by === 'model') {
    const models = await listModels(client);
    return new Map(models.map(({ id, display_name }) => [id, display_name]));
  }
  if (by === 'group') {
    return new Map((await listGroups(client)).map(({ id, name }) => [id, name]));
  }
  if (by === 'user') {
    const me = await client.call('getMe');
    const users = me.role === 'admin' ? await listUsers(client) : [me];
    return new Map(users.map(({ id, username }) => [id, username]));
  }
  return new Map();
}
