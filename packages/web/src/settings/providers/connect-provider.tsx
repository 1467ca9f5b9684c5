import type { Provider, ProviderTest, ProviderType } from '@chatd/protocol';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { duration } from '../../format/time.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { ProviderFields } from './provider-fields.tsx';
import { newValues, NO_SECRETS, optionsOf, secretsOf, TYPES } from './provider-types.ts';

/** Stores the key and tests the connection. The user can continue after a failed test. */
export function ConnectProvider({
  type,
  onBack,
  onConnected,
}: {
  readonly type: Exclude<ProviderType, 'demo'>;
  readonly onBack: () => void;
  readonly onConnected: (provider: Provider) => void;
}) {
  const changed = useInvalidateQueries();
  // Created by the first attempt and updated by later ones, so that no unused providers remain.
  const [stored, setStored] = useState<Provider>();
  const [failed, setFailed] = useState<ProviderTest>();
  const form = useForm({
    initial: newValues(type),
    alsoAt: ['aws_credentials'],
    async save(values) {
      setFailed(undefined);
      const { name, base_url } = values;
      const told = { name, options: optionsOf(values), ...secretsOf(values) };
      const url = base_url.trim();
      const provider =
        stored === undefined
          ? await client.call('createProvider', {
              body: { type, ...told, ...(url !== '' && { base_url: url }) },
            })
          : await client.call('updateProvider', {
              params: { provider_id: stored.id },
              body: { ...told, base_url: url === '' ? null : url },
            });
      setStored(provider);
      const test = await client.call('testProvider', { params: { provider_id: provider.id } });
      await changed();
      if (test.ok) onConnected(provider);
      else setFailed(test);
      return { ...values, ...NO_SECRETS };
    },
  });
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector('input')?.focus(), []);
  return (
    <SettingsForm
      form={form}
      label={`Connect to ${TYPES[type].label}`}
      action={form.saving ? 'Testing…' : 'Save and test'}
      evenUnchanged
      extra={
        stored === undefined ? (
          <Button kind="quiet" onClick={onBack}>
            Back
          </Button>
        ) : (
          <Button onClick={() => onConnected(stored)}>Continue anyway</Button>
        )
      }
    >
      <div ref={first} className="contents">
        <ProviderFields form={form} type={type} {...(stored !== undefined && { stored })} />
      </div>
      <form.Text name="name" label="Name" help="Display name." />
      {failed !== undefined && (
        <Notice kind="bad" live title="Saved, but the connection test failed">
          {failed.message} <span className="text-muted">({duration(failed.latency_ms)})</span>
        </Notice>
      )}
    </SettingsForm>
  );
}
