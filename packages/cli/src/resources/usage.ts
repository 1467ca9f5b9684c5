import type { CallAnswer, Client } from '@chatd/client';
import { UsageGroup } from '@chatd/protocol';
import { action } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { collect } from '../output/collect.ts';
import { JSON_OPTION, printJson, printList } from '../output/listing.ts';
import { duration, money, tokens } from '../output/quantities.ts';
import { listModels } from './models.ts';

type Sums = CallAnswer<'getUsage'>['total'];

export const usage = action({
  name: 'usage',
  summary: 'Show tokens, cost and runtime over a period',
  details:
    'RUNTIME is the runtime of model calls and tools together, TOOLS the part of the tools. Days are in UTC.',
  options: {
    by: { type: 'string', choices: UsageGroup.options, help: 'The groups. Default: day' },
    from: {
      type: 'string',
      value: 'TIME',
      help: 'First day or time. Default: 30 days before --to',
    },
    to: { type: 'string', value: 'TIME', help: 'Day or time of the end, exclusive. Default: now' },
    all: { type: 'boolean', help: 'Of all users; requires an admin, and is logged' },
    ...JSON_OPTION,
  },
  examples: [
    ['chatd usage --by model', 'your last 30 days, by model'],
    ['chatd usage --all --by user --from 2026-11-01 --to 2026-12-01', 'a month of all users'],
  ],
  async run({ values, context }) {
    const client = await context.client();
    const group = UsageGroup.parse(values.by ?? 'day');
    const report = await client.call('getUsage', {
      query: {
        group_by: group,
        from: timeOf(values.from),
        to: timeOf(values.to),
        all: values.all === true ? 'true' : undefined,
      },
    });
    if (values.json === true) {
      printJson(context, report);
      return EXIT.ok;
    }
    const { groups, total } = report;
    const names = groups.length === 0 ? new Map<string, string>() : await namesOf(client, group);
    printList(
      context,
      groups.length === 0 ? [] : [...groups, { ...total, key: 'total' }],
      [
        {
          title: group.toUpperCase(),
          value: ({ key }) => names.get(key) ?? key,
          flexible: true,
        },
        { title: 'COST', align: 'right', value: costOf },
        { title: 'CALLS', align: 'right', value: ({ calls }) => String(calls) },
        { title: 'IN', align: 'right', value: (sums) => tokens(tokensIn(sums)) },
        { title: 'OUT', align: 'right', value: ({ output_tokens }) => tokens(output_tokens) },
        { title: 'RUNTIME', align: 'right', value: ({ runtime_ms }) => duration(runtime_ms) },
        {
          title: 'TOOLS',
          align: 'right',
          value: ({ tool_runtime_ms }) => duration(tool_runtime_ms),
        },
      ],
      { json: false, none: 'No usage in this period.' },
    );
    if (total.unpriced_calls > 0) {
      context.say(`${total.unpriced_calls} calls without a known price are not part of the cost.`);
    }
    return EXIT.ok;
  },
});

const costOf = ({ cost_micros }: Sums) => money(cost_micros);

const tokensIn = (sums: Sums): number =>
  sums.input_tokens + sums.cache_read_tokens + sums.cache_creation_tokens;

/** A day begins at midnight UTC. */
const timeOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;

/** Names for ids, where the server has a list of them. */
async function namesOf(client: Client, group: UsageGroup): Promise<Map<string, string>> {
  if (group === 'model') {
    const models = await listModels(client);
    return new Map(models.map(({ id, display_name }) => [id, display_name]));
  }
  if (group === 'user') {
    const me = await client.call('getMe');
    const users = me.role === 'admin' ? await collect(client.users.each({ limit: 200 })) : [me];
    return new Map(users.map(({ id, username }) => [id, username]));
  }
  return new Map();
}
