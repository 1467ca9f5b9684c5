import type { Settings, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { question, wholeList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { money } from '../../ui/money.ts';
import { Cell, HeaderCell, NameCell, Table } from '../../ui/table.tsx';
import { useSaveSettings, WithSettings } from '../deployment/deployment-form.tsx';
import { FormNumber } from '../form/fields.tsx';
import { microsIn, microsText, notNumbers } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Answer } from '../parts/answer.tsx';
import { Group, Heading } from '../parts/heading.tsx';
import { Meter } from '../parts/meter.tsx';
import { UserLimitDialog } from './user-limit-dialog.tsx';

export function SpendLimits() {
  return (
    <>
      <Heading
        title="Spend limits"
        about="Looked at before each model call. When a limit is reached, the turn ends and says so; what it had done is kept."
      />
      <WithSettings>
        {(settings) => (
          <>
            <LimitForm settings={settings} />
            <PerUser everybody={settings.spend_limit_micros} />
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
    <Group title="For everybody">
      <SettingsForm form={form} label="Limit for everybody">
        <div className="sm:max-w-sm">
          <FormNumber
            form={form}
            name="spend_limit_micros"
            label="Per person and month"
            placeholder="No limit"
            help="In the currency of your prices. Empty: no limit. Calls without a known price do not count."
          />
        </div>
      </SettingsForm>
    </Group>
  );
}

/** The first moment of this month, in UTC, as limits are counted. */
function monthStart(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString();
}

function PerUser({ everybody }: { readonly everybody: number | null }) {
  const users = useQuery(wholeList('listUsers'));
  const [from] = useState(() => monthStart(new Date()));
  const usage = useQuery(question('getUsage', { query: { all: true, group_by: 'user', from } }));
  return (
    <Group title="This month, by person">
      <Answer to={users}>
        {(list) => (
          <Answer to={usage}>
            {({ groups }) => {
              const spent = new Map(groups.map(({ key, cost_micros }) => [key, cost_micros]));
              return (
                <Table label="Spend of this month by person">
                  <thead>
                    <tr>
                      <HeaderCell>Person</HeaderCell>
                      <HeaderCell className="text-right">Spent</HeaderCell>
                      <HeaderCell className="text-right">Limit</HeaderCell>
                      <HeaderCell>
                        <span className="sr-only">Part of the limit</span>
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
                        everybody={everybody}
                      />
                    ))}
                  </tbody>
                </Table>
              );
            }}
          </Answer>
        )}
      </Answer>
    </Group>
  );
}

function SpendRow({
  user,
  spent,
  everybody,
}: {
  readonly user: User;
  readonly spent: number;
  readonly everybody: number | null;
}) {
  const [open, setOpen] = useState(false);
  const own = user.spend_limit_micros;
  const limit = own ?? everybody;
  return (
    <tr>
      <NameCell>{user.username}</NameCell>
      <Cell className="text-right tabular-nums">{money(spent)}</Cell>
      <Cell className="text-right whitespace-nowrap tabular-nums">
        {limit === null ? 'none' : money(limit)}
        {own !== null && <span className="text-sm text-muted"> (own)</span>}
      </Cell>
      <Cell className="min-w-24">
        {limit !== null && (
          <Meter label={`Spent by ${user.username} of the limit`} value={spent} most={limit} />
        )}
      </Cell>
      <Cell>
        <Button size="small" aria-label={`Limit of ${user.username}`} onClick={() => setOpen(true)}>
          Limit
        </Button>
        <UserLimitDialog user={user} open={open} onOpenChange={setOpen} />
      </Cell>
    </tr>
  );
}
