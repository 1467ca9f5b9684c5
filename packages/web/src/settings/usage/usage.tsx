import type { UsageGroup, UsageReport, User } from '@chatd/protocol';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChartColumn, Download } from 'lucide-react';
import { useState } from 'react';
import { count, counted } from '../../format/number.ts';
import { apiQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { money, tokenCount } from '../../format/money.ts';
import { SelectField } from '../../ui/select.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Heading } from '../parts/heading.tsx';
import { ColumnChart } from './column-chart.tsx';
import { csv, download } from './csv.ts';
import { RankChart } from './rank-chart.tsx';
import { MEASURES, type MeasureId, type Sums } from './measures.ts';
import { isRange, daysOf, lastDays, momentsOf, type DayRange } from './range.ts';
import { UsageTable } from './usage-table.tsx';
import { useGroupNames } from './use-group-names.ts';

const RANGES = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last year' },
  { value: 'own', label: 'Custom range' },
];

const GROUPS: readonly { value: UsageGroup; label: string; admin?: true }[] = [
  { value: 'day', label: 'Day' },
  { value: 'model', label: 'Model' },
  { value: 'chat', label: 'Chat' },
  { value: 'kind', label: 'Purpose' },
  { value: 'user', label: 'User', admin: true },
  { value: 'group', label: 'Group', admin: true },
];

/** The maximum number of bars, except for days. */
const BARS = 20;

export function Usage({ user }: { readonly user: User }) {
  const [whose, setWhose] = useState<'mine' | 'all'>('mine');
  const [group, setGroup] = useState<UsageGroup>('day');
  const [measure, setMeasure] = useState<MeasureId>('cost');
  const [days, setDays] = useState('30');
  const [range, setRange] = useState(() => lastDays(30, Date.now()));
  const admin = user.role === 'admin';
  const groups = useQuery({ ...apiQuery('listGroups'), enabled: admin }).data?.groups ?? [];
  const offered = GROUPS.filter(
    ({ value, admin: only }) =>
      (only !== true || admin) && (value !== 'group' || groups.length > 0),
  );
  const report = useQuery({
    ...apiQuery('getUsage', {
      query: {
        ...(isRange(range) && momentsOf(range)),
        group_by: group,
        ...(whose === 'all' && { all: true }),
      },
    }),
    enabled: isRange(range),
    placeholderData: keepPreviousData,
  });
  const chooseDays = (next: string) => {
    setDays(next);
    if (next !== 'own') setRange(lastDays(Number(next), Date.now()));
  };
  return (
    <>
      <Heading
        title="Usage"
        about="Tokens and cost of model calls, and run time of models and tools. Days are in UTC."
      />
      <div className="grid grid-cols-2 gap-x-3 gap-y-4 lg:grid-cols-4">
        {admin && (
          <SelectField
            label="Users"
            value={whose}
            onChange={(event) => setWhose(event.target.value === 'all' ? 'all' : 'mine')}
            choices={[
              { value: 'mine', label: 'Only me' },
              { value: 'all', label: 'All users (logged)' },
            ]}
          />
        )}
        <SelectField
          label="Period"
          value={days}
          choices={RANGES}
          onChange={(event) => chooseDays(event.target.value)}
        />
        <SelectField
          label="Group by"
          value={group}
          choices={offered}
          onChange={(event) => setGroup(event.target.value as UsageGroup)}
        />
        <SelectField
          label="Measure"
          value={measure}
          choices={Object.entries(MEASURES).map(([value, { label }]) => ({ value, label }))}
          onChange={(event) => setMeasure(event.target.value as MeasureId)}
        />
      </div>
      {days === 'own' && <OwnRange range={range} onChange={setRange} />}
      <QueryResult to={report}>
        {(answer) => (
          <Report
            report={answer}
            group={group}
            measure={measure}
            range={range}
            admin={admin}
            old={report.isPlaceholderData}
          />
        )}
      </QueryResult>
    </>
  );
}

function OwnRange({
  range,
  onChange,
}: {
  readonly range: DayRange;
  readonly onChange: (range: DayRange) => void;
}) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="First day"
        type="date"
        value={range.first}
        max={range.last}
        onChange={(event) => onChange({ ...range, first: event.target.value })}
      />
      <TextField
        label="Last day"
        type="date"
        value={range.last}
        min={range.first}
        error={isRange(range) ? undefined : 'The first day must not be after the last day.'}
        onChange={(event) => onChange({ ...range, last: event.target.value })}
      />
    </div>
  );
}

function Report({
  report,
  group,
  measure,
  range,
  admin,
  old,
}: {
  readonly report: UsageReport;
  readonly group: UsageGroup;
  readonly measure: MeasureId;
  readonly range: DayRange;
  readonly admin: boolean;
  readonly old: boolean;
}) {
  const nameOf = useGroupNames(group, admin);
  const { total, groups } = report;
  if (total.calls === 0 && total.runtime_ms === 0) {
    return (
      <EmptyState icon={<ChartColumn />} title="No usage in this period">
        Start a chat, or choose another period.
      </EmptyState>
    );
  }
  const { of, text, label, unit } = MEASURES[measure];
  const Chart = group === 'day' ? ColumnChart : RankChart;
  const barOf = (key: string, sums: Sums | undefined) => {
    const value = sums === undefined ? 0 : of(sums);
    return { key, label: nameOf(key), value };
  };
  const bars =
    group === 'day'
      ? daysOf(range).map((day) =>
          barOf(
            day,
            groups.find(({ key }) => key === day),
          ),
        )
      : groups
          .map((sums) => barOf(sums.key, sums))
          .toSorted((a, b) => b.value - a.value)
          .slice(0, BARS);
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Figure name="Cost" value={money(total.cost_micros)} />
        <Figure name="Calls" value={count(total.calls)} />
        <Figure
          name="Tokens in"
          value={tokenCount(
            total.input_tokens + total.cache_read_tokens + total.cache_creation_tokens,
          )}
        />
        <Figure name="Tokens out" value={tokenCount(total.output_tokens)} />
      </dl>
      {total.unpriced_calls > 0 && (
        <Notice kind="warn">
          The cost does not include {counted(total.unpriced_calls, 'call')} of unknown price.
        </Notice>
      )}
      <Chart label={`${label} by ${group}`} bars={bars} textOf={text} unit={unit} />
      <div className="flex items-center justify-end gap-3">
        {old && <Spinner label="Loading" />}
        <Button
          size="small"
          onClick={() =>
            download(`usage-${group}-${range.first}-${range.last}.csv`, csvOf(report, nameOf))
          }
        >
          <Download aria-hidden className="size-4" />
          Download CSV
        </Button>
      </div>
      <UsageTable report={report} group={group} nameOf={nameOf} />
    </div>
  );
}

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div className="rounded-xl border border-line px-3 py-2">
    <dt className="text-sm text-muted">{name}</dt>
    <dd className="text-lg font-semibold tabular-nums">{value}</dd>
  </div>
);

function csvOf({ groups }: UsageReport, nameOf: (key: string) => string): string {
  const columns = Object.keys(groups[0] ?? {}).filter((name) => name !== 'key') as (keyof Sums)[];
  return csv([
    ['key', 'name', ...columns],
    ...groups.map((sums) => [sums.key, nameOf(sums.key), ...columns.map((name) => sums[name])]),
  ]);
}
