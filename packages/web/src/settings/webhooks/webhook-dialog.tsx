import type { CreatedWebhook, Webhook, WebhookEventType } from '@chatd/protocol';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NOT_PAIRS, pairsIn, pairsText } from '../form/pairs.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { type FieldErrors, useForm } from '../form/use-form.ts';
import { CreateDialog } from '../parts/create-dialog.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';

const EVENTS: readonly { event: WebhookEventType; about: string }[] = [
  { event: 'chat.waiting', about: 'A turn has ended' },
  { event: 'chat.requires_action', about: 'A turn waits for an approval, an answer or a tool' },
  { event: 'chat.error', about: 'A turn has failed' },
  { event: 'trigger.failed', about: 'A run of a trigger has failed, or was refused' },
  { event: 'trigger.disabled', about: 'A trigger was disabled after failures' },
];

interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Its secret is shown until the dialog is closed, and never again. */
export const NewWebhookDialog = (props: DialogProps) => (
  <CreateDialog<CreatedWebhook>
    {...props}
    title={() => 'Add webhook'}
    renderForm={({ onMade, onCancel }) => (
      <WebhookForm
        action="Add webhook"
        onCancel={onCancel}
        onSave={async (body) => onMade(await client.call('createWebhook', { body }))}
      />
    )}
  >
    {({ secret }) => <WebhookSecret secret={secret} />}
  </CreateDialog>
);

export const WebhookSecret = ({ secret }: { readonly secret: string }) => (
  <SecretOnce
    label="Secret"
    secret={secret}
    about="Copy it now. It is not shown again. The receiver verifies requests with it."
  />
);

export function EditWebhookDialog({
  webhook,
  open,
  onOpenChange,
}: DialogProps & { readonly webhook: Webhook }) {
  const close = () => onOpenChange(false);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : unlessUnsaved(close))}
      title="Edit webhook"
    >
      <WebhookForm
        webhook={webhook}
        action="Save"
        onCancel={() => unlessUnsaved(close)}
        onSave={async (body) => {
          await client.call('updateWebhook', { params: { webhook_id: webhook.id }, body });
          toast.success('Webhook saved');
          close();
        }}
      />
    </Dialog>
  );
}

interface Saved {
  readonly url: string;
  readonly events: WebhookEventType[];
  readonly filter: { readonly labels: Record<string, string> };
}

function WebhookForm({
  webhook,
  action,
  onSave,
  onCancel,
}: {
  readonly webhook?: Webhook;
  readonly action: string;
  readonly onSave: (body: Saved) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: {
      url: webhook?.url ?? '',
      events: webhook?.events ?? EVENTS.map(({ event }) => event),
      labels: pairsText(webhook?.filter.labels),
    },
    async save({ url, events, labels }) {
      await onSave({ url: url.trim(), events, filter: { labels: pairsIn(labels) ?? {} } });
      void changed();
    },
    check: ({ events, labels }): FieldErrors => ({
      ...(events.length === 0 && { events: 'choose at least one event' }),
      ...(pairsIn(labels) === undefined && { labels: NOT_PAIRS }),
    }),
  });
  const { events } = form.values;
  const error = form.errorAt('events');
  return (
    <SettingsForm form={form} label="Webhook" action={action} onCancel={onCancel}>
      <form.Text name="url" label="URL" type="url" placeholder="https://example.com/chatd" />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Events</legend>
        {EVENTS.map(({ event, about }) => (
          <Checkbox
            key={event}
            label={event}
            help={about}
            aria-invalid={error !== undefined}
            checked={events.includes(event)}
            onChange={(on) =>
              form.set({ events: on ? [...events, event] : events.filter((one) => one !== event) })
            }
          />
        ))}
        {error !== undefined && <p className="text-sm text-bad">{error}</p>}
      </fieldset>
      <form.Area
        name="labels"
        label="Labels"
        placeholder="source=ci"
        help="Only chats with all of these labels, NAME=value, one per line. Empty: all chats."
      />
    </SettingsForm>
  );
}
