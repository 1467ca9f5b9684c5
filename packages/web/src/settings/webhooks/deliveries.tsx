import type { DeliveryState, Webhook, WebhookDelivery } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const STATES: readonly { value: DeliveryState | ''; label: string }[] = [
  { value: '', label: 'All events' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'dead', label: 'Dead letters' },
];

const KINDS = { pending: 'warn', delivered: 'good', dead: 'bad' } as const;

/** The latest events of a webhook. Dead letters can be delivered again. */
export function DeliveriesDialog({
  webhook,
  open,
  onOpenChange,
}: {
  readonly webhook: Webhook;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  const [state, setState] = useState<DeliveryState | ''>('');
  const changed = useInvalidateQueries();
  const params = { webhook_id: webhook.id };
  const query = { limit: 50, ...(state !== '' && { state }) };
  const deliveries = useQuery({
    ...apiQuery('listWebhookDeliveries', { params, query }),
    enabled: open,
  });
  const redeliverAll = async () => {
    const { count } = await client.call('redeliverWebhookEvents', { params });
    toast.success(`Delivering ${counted(count, 'dead letter')} again`);
    await changed();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Events"
      actions={
        <>
          <Button onClick={() => void changed()}>Refresh</Button>
          <Button onClick={() => void redeliverAll()}>Redeliver dead letters</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <SelectField
          label="Show"
          value={state}
          choices={STATES}
          onChange={(event) => setState(event.target.value as DeliveryState | '')}
        />
        <QueryResult to={deliveries}>
          {({ deliveries: list }) =>
            list.length === 0 ? (
              <p className="text-muted">
                No events. Delivered events are listed for 7 days, dead letters for 30.
              </p>
            ) : (
              <Rows label="Events">
                {list.map((delivery) => (
                  <DeliveryRow key={delivery.id} delivery={delivery} webhookId={webhook.id} />
                ))}
              </Rows>
            )
          }
        </QueryResult>
      </div>
    </Dialog>
  );
}

function DeliveryRow({
  delivery,
  webhookId,
}: {
  readonly delivery: WebhookDelivery;
  readonly webhookId: string;
}) {
  const { id, event, data, state, attempts, created_at, last_error } = delivery;
  const changed = useInvalidateQueries();
  const redeliver = async () => {
    const params = { webhook_id: webhookId, delivery_id: id };
    await client.call('redeliverWebhookEvent', { params });
    await changed();
  };
  return (
    <Row
      title={event}
      badges={<Badge kind={KINDS[state]}>{state === 'dead' ? 'dead letter' : state}</Badge>}
      about={
        <>
          {data.chat_id === undefined ? (
            safeText(data.trigger?.name ?? '')
          ) : (
            <Link href={`/chats/${data.root_chat_id ?? data.chat_id}`} className="underline">
              {safeText(data.title ?? data.trigger?.name ?? data.chat_id)}
            </Link>
          )}
          {' · '}
          <TimeAgo time={created_at} />
          {' · '}
          {counted(attempts, 'attempt')}
          {last_error !== undefined && <div className="text-bad">{safeText(last_error)}</div>}
        </>
      }
      actions={
        state !== 'pending' && (
          <Button
            size="small"
            aria-label={`Redeliver event ${id}`}
            onClick={() => void redeliver()}
          >
            Redeliver
          </Button>
        )
      }
    />
  );
}
