import type { Trigger, TriggerKind, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { CalendarClock, Webhook, Zap } from 'lucide-react';
import { client } from '../../api/client.ts';
import { allPages, apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { EnabledSwitch } from '../parts/saved-switch.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useEditing } from '../parts/use-editing.ts';
import { EditTrigger } from './edit-trigger.tsx';
import { OtherTriggers } from './other-triggers.tsx';
import { RunNow } from './run-now.tsx';
import { LOOK_MS, STATUS } from './runs.tsx';
import { When } from './when.tsx';

/** What `?edit=` is for a new trigger. */
const NEW: Readonly<Record<string, TriggerKind>> = {
  'new-schedule': 'schedule',
  'new-webhook': 'webhook',
};

export function Triggers({ user }: { readonly user: User }) {
  const { edited, open, close } = useEditing();
  const triggers = useQuery({ ...allPages('listTriggers'), refetchInterval: LOOK_MS });
  const kind = NEW[edited ?? ''];
  if (kind !== undefined) {
    return <EditTrigger key={kind} kind={kind} onClose={close} onCreated={open} />;
  }
  const add = (
    <div className="flex flex-wrap gap-2">
      <Button kind="primary" onClick={() => open('new-schedule')}>
        <CalendarClock aria-hidden className="size-4" />
        Add schedule
      </Button>
      <Button onClick={() => open('new-webhook')}>
        <Webhook aria-hidden className="size-4" />
        Add webhook
      </Button>
    </div>
  );
  return (
    <QueryResult to={triggers}>
      {(list) => {
        const trigger = list.find(({ id }) => id === edited);
        if (trigger !== undefined) {
          return (
            <EditTrigger
              key={trigger.id}
              kind={trigger.kind}
              trigger={trigger}
              onClose={close}
              onCreated={open}
            />
          );
        }
        return (
          <>
            <Heading
              title="Triggers"
              about="Start chats by themselves: at certain times, or when another program sends a request. They run as you, within your limits."
              action={list.length > 0 && add}
            />
            {list.length === 0 ? (
              <EmptyState icon={<Zap />} title="No triggers yet" action={add}>
                A schedule can update dependencies every night; a webhook can answer issues.
              </EmptyState>
            ) : (
              <Rows label="Triggers">
                {list.map((one) => (
                  <TriggerRow key={one.id} trigger={one} onEdit={() => open(one.id)} />
                ))}
              </Rows>
            )}
            <OtherTriggers user={user} />
          </>
        );
      }}
    </QueryResult>
  );
}

function TriggerRow({
  trigger,
  onEdit,
}: {
  readonly trigger: Trigger;
  readonly onEdit: () => void;
}) {
  const { id, name, kind, enabled, disabled_reason } = trigger;
  const params = { trigger_id: id };
  const changed = useInvalidateQueries();
  return (
    <Row
      title={safeText(name)}
      badges={
        <>
          <Badge>{kind}</Badge>
          {disabled_reason !== null && <Badge kind="bad">disabled by the server</Badge>}
        </>
      }
      about={
        <>
          <When trigger={trigger} />
          <LastRun trigger={trigger} />
          {disabled_reason !== null && <p className="text-bad">{safeText(disabled_reason)}</p>}
        </>
      }
      actions={
        <>
          <EnabledSwitch
            name={name}
            checked={enabled}
            onChange={async (on) => {
              await client.call('updateTrigger', { params, body: { enabled: on } });
              await changed();
            }}
          />
          {/* A webhook needs a payload, which its page asks for. */}
          {kind === 'schedule' && <RunNow trigger={trigger} />}
          <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <DeleteButton
            what="trigger"
            name={name}
            onDelete={async () => {
              await client.call('deleteTrigger', { params });
              await changed();
            }}
          >
            Its runs are deleted. Its chats are kept.
          </DeleteButton>
        </>
      }
    />
  );
}

function LastRun({ trigger }: { readonly trigger: Trigger }) {
  const { data } = useQuery({
    ...apiQuery('listTriggerRuns', { params: { trigger_id: trigger.id }, query: { limit: 1 } }),
    refetchInterval: LOOK_MS,
  });
  const run = data?.runs[0];
  if (data === undefined) return null;
  if (run === undefined) return <p>No runs yet</p>;
  return (
    <p className="flex flex-wrap items-center gap-1.5">
      Last run <TimeAgo time={run.created_at} />
      <Badge kind={STATUS[run.status]}>{run.status}</Badge>
    </p>
  );
}
