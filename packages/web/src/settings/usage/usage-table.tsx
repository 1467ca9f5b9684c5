import type { UsageGroup, UsageReport } from '@chatd/protocol';
import { count } from '../../format/number.ts';
import { money } from '../../format/money.ts';
import { TableCell, HeaderCell, NameCell, Table } from '../../ui/table.tsx';
import { duration } from '../../format/time.ts';
import type { Sums } from './measures.ts';

const COLUMNS: readonly { label: string; text: (sums: Sums) => string }[] = [
  { label: 'Cost', text: ({ cost_micros }) => money(cost_micros) },
  { label: 'Calls', text: ({ calls }) => count(calls) },
  { label: 'Input', text: ({ input_tokens }) => count(input_tokens) },
  { label: 'Cache read', text: ({ cache_read_tokens }) => count(cache_read_tokens) },
  {
    label: 'Cache write',
    text: ({ cache_creation_tokens }) => count(cache_creation_tokens),
  },
  { label: 'Output', text: ({ output_tokens }) => count(output_tokens) },
  { label: 'Runtime', text: ({ runtime_ms }) => duration(runtime_ms) },
  { label: 'Tool runtime', text: ({ tool_runtime_ms }) => duration(tool_runtime_ms) },
];

const HEADS: Readonly<Record<UsageGroup, string>> = {
  day: 'Day',
  model: 'Model',
  chat: 'Chat',
  kind: 'Purpose',
  user: 'User',
  group: 'Group',
};

export function UsageTable({
  report: { total, groups },
  group,
  nameOf,
}: {
  readonly report: UsageReport;
  readonly group: UsageGroup;
  readonly nameOf: (key: string) => string;
}) {
  return (
    <Table label={`Usage by ${HEADS[group].toLowerCase()}`}>
      <thead>
        <tr>
          <HeaderCell>{HEADS[group]}</HeaderCell>
          {COLUMNS.map(({ label }) => (
            <HeaderCell key={label} className="text-right">
              {label}
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((sums) => (
          <tr key={sums.key}>
            <NameCell className="min-w-32 font-normal">{nameOf(sums.key)}</NameCell>
            <Figures sums={sums} />
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="font-semibold">
          <NameCell>Total</NameCell>
          <Figures sums={total} />
        </tr>
      </tfoot>
    </Table>
  );
}

const Figures = ({ sums }: { readonly sums: Sums }) =>
  COLUMNS.map(({ label, text }) => (
    <TableCell key={label} className="text-right whitespace-nowrap tabular-nums">
      {text(sums)}
    </TableCell>
  ));
