import type { User, Webhook } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { allPages, useInvalidateQueries } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { OfOtherUsers } from '../parts/of-other-users.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { EnabledSwitch } from '../parts/saved-switch.tsx';
import { TestAnswer, TestButton, useTest } from '../parts/test-button.tsx';
import { DeliveriesDialog } from './deliveries.tsx';
import { EditWebhookDialog, NewWebhookDialog, WebhookSecret } from './webhook-dialog.tsx';

export function Webhooks({ user }: { readonly user: User }) {
  const webhooks = useQuery(allPages('listWebhooks'));
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Heading
        title="Webhooks"
        about="URLs that get the events of your chats, such as the end of a turn."
        action={
          <Button kind="primary" onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" />
            Add webhook
          </Button>
        }
      />
      <QueryResult to={webhooks}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<WebhookIcon />} title="No webhooks yet">
              Add one to tell a program when a turn ends, fails, or waits for you.
            </EmptyState>
          ) : (
            <Rows label="Webhooks">
              {list.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      <OfOtherUsers
        what="webhooks"
        about="Admins can view, change, and delete them."
        user={user}
        query={allPages('listWebhooks', { query: { all: true } })}
      >
        {(webhook, owner) => <WebhookRow webhook={webhook} owner={owner} />}
      </OfOtherUsers>
      <NewWebhookDialog open={adding} onOpenChange={setAdding} />
    </>
  );
}

interface WebhookRowProps {
  readonly webhook: Webhook;
  /** Unless it is the user. */
  readonly owner?: string;
}

function WebhookRow({ webhook, owner }: WebhookRowProps) {
  const { id, url, events, filter, enabled } = webhook;
  const params = { webhook_id: id };
  const changed = useInvalidateQueries();
  const [dialog, setDialog] = useState<'edit' | 'events'>();
  const test = useTest(() => client.call('testWebhook', { params }));
  const show = (name: 'edit' | 'events') => (open: boolean) => setDialog(open ? name : undefined);
  const labels = Object.entries(filter.labels ?? {});
  return (
    <Row
      title={safeText(url)}
      badges={!enabled && <Badge>disabled</Badge>}
      about={
        <>
          {owner !== undefined && <p>Owner: {owner}</p>}
          {events.join(', ')}
          {labels.length > 0 &&
            ` · ${labels.map(([name, value]) => safeText(`${name}=${value}`)).join(', ')}`}
        </>
      }
      actions={
        <>
          <EnabledSwitch
            name={url}
            checked={enabled}
            onChange={async (on) => {
              await client.call('updateWebhook', { params, body: { enabled: on } });
              await changed();
            }}
          />
          <Button size="small" aria-label={`Events of ${url}`} onClick={() => show('events')(true)}>
            Events
          </Button>
          <TestButton size="small" test={test} label={`Test ${url}`} />
          <Button size="small" aria-label={`Edit ${url}`} onClick={() => show('edit')(true)}>
            Edit
          </Button>
          <RotateSecret webhook={webhook} />
          <DeleteButton
            what="webhook"
            name={url}
            onDelete={async () => {
              await client.call('deleteWebhook', { params });
              await changed();
            }}
          >
            Pending events are not delivered. This cannot be undone.
          </DeleteButton>
        </>
      }
    >
      <TestAnswer state={test.state} />
      <EditWebhookDialog webhook={webhook} open={dialog === 'edit'} onOpenChange={show('edit')} />
      <DeliveriesDialog
        webhook={webhook}
        open={dialog === 'events'}
        onOpenChange={show('events')}
      />
    </Row>
  );
}

function RotateSecret({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const forget = () => setSecret(undefined);
  return (
    <>
      <Button size="small" aria-label={`Rotate secret of ${url}`} onClick={() => setAsking(true)}>
        Rotate secret
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Rotate the secret?"
        action="Rotate secret"
        onConfirm={async () => {
          const params = { webhook_id: id };
          setSecret((await client.call('rotateWebhookSecret', { params })).secret);
        }}
      >
        For 24 hours, requests are signed with both secrets. Update the receiver in the meantime.
      </ConfirmDialog>
      <Dialog
        open={secret !== undefined}
        onOpenChange={forget}
        title="New secret"
        actions={<Button onClick={forget}>Done</Button>}
      >
        {secret !== undefined && <WebhookSecret secret={secret} />}
      </Dialog>
    </>
  );
}
