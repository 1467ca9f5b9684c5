import type { Settings } from '@chatd/protocol';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { notNumbers, numberIn, numberText } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Group, Heading } from '../parts/heading.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

export function DataAndNetwork() {
  return (
    <>
      <Heading title="Data and network" about="Retention, the debug record, and network access." />
      <WithSettings>
        {(settings) => (
          <>
            <RetentionForm settings={settings} />
            <RecordForm settings={settings} />
            <NetworkForm settings={settings} />
          </>
        )}
      </WithSettings>
    </>
  );
}

interface Props {
  readonly settings: Settings;
}

function RetentionForm({ settings }: Props) {
  const save = useSaveSettings();
  const [asking, setAsking] = useState(false);
  const form = useForm({
    initial: { retention_days: numberText(settings.retention_days) },
    check: (values) => notNumbers(values, ['retention_days']),
    save: ({ retention_days }) => save({ retention_days: numberIn(retention_days) ?? null }),
  });
  const days = numberIn(form.values.retention_days);
  // A shorter period deletes chats.
  const deletes =
    days !== undefined && days > 0 && days < (settings.retention_days ?? Number.POSITIVE_INFINITY);
  return (
    <Group title="Retention">
      <SettingsForm
        form={{ ...form, submit: (event) => (deletes ? ask(event) : form.submit(event)) }}
        label="Retention"
      >
        <div className="sm:max-w-sm">
          <form.Number
            name="retention_days"
            label="Chat retention"
            help="Days without activity after which chats are deleted. Empty: chats are kept forever."
          />
        </div>
      </SettingsForm>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Delete chats without activity for ${form.values.retention_days} days?`}
        action="Delete older chats"
        onConfirm={() => form.submit()}
      >
        Inactive chats of all users are deleted, starting now. This cannot be undone.
      </ConfirmDialog>
    </Group>
  );

  function ask(event: React.FormEvent | undefined): void {
    event?.preventDefault();
    setAsking(true);
  }
}

function RecordForm({ settings: { debug_record } }: Props) {
  const save = useSaveSettings();
  const form = useForm({
    initial: {
      enabled: debug_record.enabled,
      debug_record: numberText(debug_record.retention_hours),
    },
    check: (values) => ({
      ...notNumbers(values, ['debug_record']),
      ...(values.debug_record.trim() === '' && { debug_record: 'is required' }),
    }),
    save: ({ enabled, debug_record: hours }) =>
      save({ debug_record: { enabled, retention_hours: numberIn(hours) ?? 24 } }),
  });
  return (
    <Group title="Debug record">
      <SettingsForm form={form} label="Debug record">
        <form.Switch
          name="enabled"
          label="Record model calls"
          help="Admins can read recorded prompts and answers of all users. API keys are not recorded."
        />
        {form.values.enabled && (
          <Notice kind="warn">
            Admins can read what users write while this is on. Inform your users.
          </Notice>
        )}
        <div className="sm:max-w-sm">
          <form.Number
            name="debug_record"
            label="Debug record retention"
            help="In hours, 1 to 720."
          />
        </div>
      </SettingsForm>
    </Group>
  );
}

function NetworkForm({ settings }: Props) {
  const save = useSaveSettings();
  const form = useForm({
    initial: { allow_private_urls: settings.allow_private_urls },
    save,
  });
  return (
    <Group title="Network">
      <SettingsForm form={form} label="Network">
        <form.Switch
          name="allow_private_urls"
          label="Allow private addresses"
          help="Lets providers and MCP servers use private addresses, such as http://127.0.0.1:11434/v1. Cloud metadata addresses are always blocked."
        />
      </SettingsForm>
    </Group>
  );
}
