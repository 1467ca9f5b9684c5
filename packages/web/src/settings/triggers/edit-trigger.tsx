import type { SavedTrigger, Trigger, TriggerKind } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { allPages, apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { type Form, useForm } from '../form/use-form.ts';
import { BackLink } from '../parts/back-link.tsx';
import { Group, Heading } from '../parts/heading.tsx';
import { SecretOnce } from '../parts/secret-once.tsx';
import { PayloadTest, payloadIn } from './payload-test.tsx';
import { RunNow } from './run-now.tsx';
import { Runs } from './runs.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import {
  bodyOfTrigger,
  checkTrigger,
  type TriggerValues,
  valuesOfTrigger,
} from './trigger-values.ts';
import { Address, WebhookFields } from './webhook-fields.tsx';

const TITLES: Readonly<Record<TriggerKind, string>> = {
  schedule: 'Add schedule',
  webhook: 'Add webhook',
};

export function EditTrigger({
  kind,
  trigger,
  onClose,
  onCreated,
}: {
  readonly kind: TriggerKind;
  readonly trigger?: Trigger;
  readonly onClose: () => void;
  readonly onCreated: (id: string) => void;
}) {
  const changed = useInvalidateQueries();
  const [payload, setPayload] = useState('{}');
  const [withSecret, setWithSecret] = useState<SavedTrigger>();
  const saved = useRef<SavedTrigger>(undefined);
  const isNew = trigger === undefined;
  const form = useForm({
    initial: valuesOfTrigger(trigger),
    check: (values) => checkTrigger(values, kind),
    alsoAt: ['chat', 'verify'],
    async save(values) {
      const body = bodyOfTrigger(values, kind, trigger);
      saved.current = isNew
        ? await client.call('createTrigger', { body: { kind, ...body } })
        : await client.call('updateTrigger', { params: { trigger_id: trigger.id }, body });
      await changed();
      return { ...values, secret: '' };
    },
    onSaved() {
      if (isNew) toast.success('Trigger added');
      if (saved.current?.secret !== undefined) setWithSecret(saved.current);
      else leave();
    },
  });
  const leave = () => {
    setWithSecret(undefined);
    if (isNew && saved.current !== undefined) onCreated(saved.current.id);
  };
  const given = payloadIn(payload);
  return (
    <>
      <BackLink to="Triggers" onClick={onClose} />
      <Heading
        title={trigger?.name ?? TITLES[kind]}
        action={
          trigger !== undefined && (
            <RunNow
              trigger={trigger}
              disabled={form.changed || given === undefined}
              payload={kind === 'webhook' ? given : undefined}
            />
          )
        }
      />
      {typeof trigger?.disabled_reason === 'string' && (
        <Notice kind="bad" title="The server disabled this trigger">
          {trigger.disabled_reason}
        </Notice>
      )}
      <SettingsForm
        form={form}
        label={isNew ? 'New trigger' : `Trigger ${trigger.name}`}
        action={isNew ? 'Add trigger' : 'Save'}
        extra={
          trigger?.verification !== undefined && (
            <NewSecret trigger={trigger} onMade={setWithSecret} />
          )
        }
      >
        <form.Text name="name" label="Name" />
        {kind === 'schedule' ? (
          <ScheduleFields form={form} />
        ) : (
          <WebhookFields form={form} trigger={trigger} />
        )}
        <form.Area
          name="prompt"
          label="Prompt"
          rows={5}
          help={
            kind === 'webhook'
              ? 'The message of each run. {{payload.issue.title}} inserts a value of the request, marked as untrusted.'
              : 'The message of each run.'
          }
        />
        {kind === 'webhook' && (
          <PayloadTest prompt={form.values.prompt} text={payload} onChange={setPayload} />
        )}
        <ChatFields form={form} kind={kind} />
      </SettingsForm>
      {trigger !== undefined && (
        <Group title="Runs" about="Runs are kept for 30 days.">
          <Runs trigger={trigger} />
        </Group>
      )}
      <Dialog
        open={withSecret !== undefined}
        onOpenChange={leave}
        title={`Secret of ${withSecret?.name ?? ''}`}
        actions={<Button onClick={leave}>Done</Button>}
      >
        {withSecret?.secret !== undefined && (
          <div className="flex flex-col gap-4">
            <SecretOnce
              label="Secret"
              secret={withSecret.secret}
              about="Copy the secret now. It is not shown again."
            />
            <Address trigger={withSecret} />
          </div>
        )}
      </Dialog>
    </>
  );
}

function ChatFields({
  form,
  kind,
}: {
  readonly form: Form<TriggerValues>;
  readonly kind: TriggerKind;
}) {
  const models = useQuery(apiQuery('listModelConfigs')).data?.model_configs ?? [];
  const templates = useQuery(apiQuery('listTemplates')).data?.templates ?? [];
  const workspaces = useQuery(allPages('listWorkspaces')).data ?? [];
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <form.Select
          name="model"
          path="chat.model_config_id"
          label="Model"
          choices={[
            { value: '', label: 'Default model' },
            ...models
              .filter(({ id, enabled }) => enabled || id === form.values.model)
              .map(({ id, display_name }) => ({ value: id, label: display_name })),
          ]}
        />
        <form.Select
          name="workspace"
          path="chat.template_id"
          label="Workspace"
          choices={[
            { value: '', label: 'No workspace' },
            ...templates.map(({ id, name }) => ({
              value: `template ${id}`,
              label: `New from ${name}`,
            })),
            ...workspaces
              .filter(({ status }) => status !== 'deleted')
              .map(({ id, name }) => ({ value: `workspace ${id}`, label: name })),
          ]}
        />
      </div>
      <form.Text
        name="key"
        path="chat.continue"
        label="Continue chat by key"
        spellCheck={false}
        placeholder={kind === 'webhook' ? '{{payload.issue.number}}' : 'daily'}
        help="Runs with the same key continue the same chat. Empty: each run has a new chat."
      />
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <form.Select
          name="concurrency"
          label="Overlapping runs"
          choices={[
            { value: 'queue', label: 'Wait for the previous run' },
            { value: 'skip', label: 'Skip the new run' },
            { value: 'parallel', label: 'Run in parallel' },
          ]}
        />
        <form.Number
          name="max_failures"
          label="Max failures in a row"
          help="The trigger is then disabled. Empty: never."
        />
        <form.Number
          name="spend_limit_micros"
          label="Spend limit"
          placeholder="No limit"
          help="US dollars per month. Empty: no limit."
        />
      </div>
      <form.Area
        name="approvals"
        path="chat.approvals"
        label="Approval rules"
        code
        rows={3}
        placeholder={'allow execute(npm *)\nask execute'}
        help="One rule per line: allow, ask or deny, and a pattern. The last match applies, before your own rules. Empty: your own rules."
      />
    </>
  );
}

/** Replaces the secret after a confirmation. */
function NewSecret({
  trigger,
  onMade,
}: {
  readonly trigger: Trigger;
  readonly onMade: (saved: SavedTrigger) => void;
}) {
  const [asking, setAsking] = useState(false);
  const { id, verification } = trigger;
  // Slack generates its secrets itself.
  if (verification === undefined || verification === 'slack') return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Rotate secret</Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Rotate the secret of “${trigger.name}”?`}
        action="Rotate secret"
        onConfirm={async () => {
          const params = { trigger_id: id };
          onMade(
            await client.call('updateTrigger', {
              params,
              body: { verify: { type: verification } },
            }),
          );
        }}
      >
        Requests that are signed with the current secret are refused from now on.
      </ConfirmDialog>
    </>
  );
}
