import type { Settings, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery, allPages } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { money } from '../../format/money.ts';
import { TableCell, HeaderCell, NameCell, Table } from '../../ui/table.tsx';
import { useSaveSettings, WithSettings } from '../deployment/deployment-form.tsx';
import { microsIn, microsText, notNumbers } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { Group, Heading } from '../parts/heading.tsx';
import { Meter } from '../parts/meter.tsx';
import { UserLimitDialog } from './user-limit-dialog.tsx';

export function SpendLimits() {
  return (
    <>
      <Heading
        title="Spend limits"
        about="Checked before each model call. When the limit is reached, the turn ends with an error; completed work is kept."
      />
      <WithSettings>
        {(settings) => (
          <>
            <LimitForm settings={settings} />
            <DeploymentLimitForm settings={settings} />
            <PerUser defaultLimit={settings.spend_limit_micros} />
          </>
        )}
      </WithSettings>
    </>
  );
}

function LimitForm({ settings }: { readonly settings: Settings }) {
  const save = useSaveSettings();
  const form = useForm({
    initial: { spend_limit_micros: microsText(settings.spend_limit_micros) },
    check: (values) => notNumbers(values, ['spend_limit_micros']),
    save: ({ spend_limit_micros }) =>
      save({ spend_limit_micros: microsIn(spend_limit_micros) ?? null }),
  });
  return (
    <Group title="Default limit">
      <SettingsForm form={form} label="Default limit">
        <div className="sm:max-w-sm">
          <form.Number
            name="spend_limit_micros"
            label="Limit per user and month"
            placeholder="No limit"
            help="In US dollars. Empty: no limit. Calls without a price do not count."
          />
        </div>
      </SettingsForm>
    </Group>
  );
}

function DeploymentLimitForm({ settings }: { readonly settings: Settings }) {
  const save = useSaveSettings();
  const form = useForm({
    initial: {
      deployment_spend_limit_micros: microsText(settings.deployment_spend_limit_micros),
    },
    check: (values) => notNumbers(values, ['deployment_spend_limit_micros']),
    save: ({ deployment_spend_limit_micros: limit }) =>
      save({ deployment_spend_limit_micros: microsIn(limit) ?? null }),
  });
  return (
    <Group title="Limit of the deployment">
      <SettingsForm form={form} label="Limit of the deployment">
        <div className="sm:max-w-sm">
          <form.Number
            name="deployment_spend_limit_micros"
            label="Limit of all users together per month"
            placeholder="No limit"
            help="In US dollars. Empty: no limit. Applies in addition to the limits of users and groups."
          />
        </div>
      </SettingsForm>
    </Group>
  );
}

/** The start of the month in UTC, the period of limits. */
function monthStart(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString();
}

function PerUser({ defaultLimit }: { readonly defaultLimit: number | null }) {
  const users = useQuery(allPages('listUsers'));
  const [from] = useState(() => monthStart(new Date()));
  const usage = useQuery(apiQuery('getUsage', { query: { all: true, group_by: 'user', from } }));
  return (
    <Group title="This month by user">
      <QueryResult to={users}>
        {(list) => (
          <QueryResult to={usage}>
            {({ groups }) => {
              const spent = new Map(groups.map(({ key, cost_micros }) => [key, cost_micros]));
              return (
                <Table label="Spend this month by user">
                  <thead>
                    <tr>
                      <HeaderCell>User</HeaderCell>
                      <HeaderCell className="text-right">Spent</HeaderCell>
                      <HeaderCell className="text-right">Limit</HeaderCell>
                      <HeaderCell className="max-sm:hidden">
                        <span className="sr-only">Share of limit</span>
                      </HeaderCell>
                      <HeaderCell>
                        <span className="sr-only">Change</span>
                      </HeaderCell>
                    </tr>
                  </thead>
                  <tbody>
                    {list.map((user) => (
                      <SpendRow
                        key={user.id}
                        user={user}
                        spent={spent.get(user.id) ?? 0}
                        defaultLimit={defaultLimit}
                      />
                    ))}
                  </tbody>
                </Table>
              );
            }}
          </QueryResult>
        )}
      </QueryResult>
    </Group>
  );
}

function SpendRow({
  user,
  spent,
  defaultLimit,
}: {
  readonly user: User;
  readonly spent: number;
  readonly defaultLimit: number | null;
}) {
  const [open, setOpen] = useState(false);
  const own = user.spend_limit_micros;
  const limit = own ?? defaultLimit;
  return (
    <tr>
      <NameCell className="min-w-24 wrap-anywhere">{user.username}</NameCell>
      <TableCell className="text-right tabular-nums">{money(spent)}</TableCell>
      <TableCell className="text-right whitespace-nowrap tabular-nums">
        {limit === null ? 'none' : money(limit)}
        {own !== null && <span className="text-sm text-muted"> (custom)</span>}
      </TableCell>
      <TableCell className="min-w-24 max-sm:hidden">
        {limit !== null && (
          <Meter label={`Spend of ${user.username} of their limit`} value={spent} most={limit} />
        )}
      </TableCell>
      <TableCell>
        <Button
          size="small"
          aria-label={`Change limit of ${user.username}`}
          onClick={() => setOpen(true)}
        >
          Change<span className="max-sm:hidden"> limit</span>
        </Button>
        <UserLimitDialog user={user} open={open} onOpenChange={setOpen} />
      </TableCell>
    </tr>
  );
}
