import type { Settings } from '@chatd/protocol';
import { type FormEvent, useState } from 'react';
import { counted } from '../../format/number.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { notNumbers, numberIn, numberText } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { Group, Heading } from '../parts/heading.tsx';
import { SavedSwitch } from '../parts/saved-switch.tsx';
import { useSaveSettings, WithSettings } from './deployment-form.tsx';

export function DataAndNetwork() {
  return (
    <>
      <Heading
        title="Data and network"
        about="Retention, the debug record, links to chats, and network access."
      />
      <WithSettings>{(settings) => <DataForm settings={settings} />}</WithSettings>
    </>
  );
}

function DataForm({ settings }: { readonly settings: Settings }) {
  const save = useSaveSettings();
  const [asking, setAsking] = useState(false);
  const { retention_days, debug_record, allow_private_urls, allow_chat_links } = settings;
  const form = useForm({
    initial: {
      retention_days: numberText(retention_days),
      debug_record: numberText(debug_record.retention_hours),
    },
    check: (values) => ({
      ...notNumbers(values, ['retention_days', 'debug_record']),
      ...(values.debug_record.trim() === '' && { debug_record: 'is required' }),
    }),
    save: (values) =>
      save({
        retention_days: numberIn(values.retention_days) ?? null,
        debug_record: {
          enabled: debug_record.enabled,
          retention_hours: numberIn(values.debug_record) ?? 24,
        },
      }),
  });
  const days = numberIn(form.values.retention_days);
  // A shorter period deletes chats.
  const deletes =
    days !== undefined && days > 0 && days < (retention_days ?? Number.POSITIVE_INFINITY);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (deletes) setAsking(true);
    else form.submit();
  };
  return (
    <>
      <SettingsForm form={{ ...form, submit }} label="Data and network">
        <Group title="Retention">
          <div className="sm:max-w-sm">
            <form.Number
              name="retention_days"
              label="Chat retention"
              help="Days without activity after which chats are deleted. Empty: chats are kept forever."
            />
          </div>
        </Group>
        <Group title="Debug record">
          <SavedSwitch
            label="Record model calls"
            help="Admins can read recorded prompts and answers of all users. API keys are not recorded."
            checked={debug_record.enabled}
            onChange={(enabled) => save({ debug_record: { ...debug_record, enabled } })}
          />
          {debug_record.enabled && (
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
        </Group>
        <Group title="Sharing">
          <SavedSwitch
            label="Allow links to chats"
            help="Lets owners create links that show a chat without an account, read-only. If off, no link works."
            checked={allow_chat_links}
            onChange={(on) => save({ allow_chat_links: on })}
          />
        </Group>
        <Group title="Network">
          <SavedSwitch
            label="Allow private addresses"
            help="Lets providers and MCP servers use private addresses, such as http://127.0.0.1:11434/v1. Cloud metadata addresses are always blocked."
            checked={allow_private_urls}
            onChange={(on) => save({ allow_private_urls: on })}
          />
        </Group>
      </SettingsForm>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={`Delete chats without activity for ${counted(Number(form.values.retention_days), 'day')}?`}
        action="Delete older chats"
        onConfirm={() => form.submit()}
      >
        Inactive chats of all users are deleted, starting now. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
