import type { Provider, ProviderTest, ProviderType } from '@chatd/protocol';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { duration } from '../../format/time.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { connectProvider } from './connect.ts';
import { ProviderFields } from './provider-fields.tsx';
import { newValues, optionsOf, type ProviderValues, secretsOf, TYPES } from './provider-types.ts';

/** Tests the connection and stores the provider. After a failed test nothing is stored, unless the admin insists. */
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
  const [failed, setFailed] = useState<ProviderTest>();
  const untested = useRef(false);
  const form = useForm({
    initial: newValues(type),
    alsoAt: ['aws_credentials'],
    async save(values) {
      setFailed(undefined);
      const body = bodyOf(type, values);
      const made = untested.current
        ? await client.call('createProvider', { body })
        : await connectProvider(body);
      if ('ok' in made) return setFailed(made);
      await changed();
      onConnected(made);
    },
  });
  const submit = (withoutTest: boolean) => {
    untested.current = withoutTest;
    form.submit();
  };
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector('input')?.focus(), []);
  return (
    <SettingsForm
      form={{
        ...form,
        submit(event) {
          event?.preventDefault();
          submit(false);
        },
      }}
      label={`Connect to ${TYPES[type].label}`}
      action={form.saving ? 'Testing…' : 'Connect'}
      evenUnchanged
      extra={
        <>
          <Button kind="quiet" onClick={onBack}>
            Back
          </Button>
          {failed !== undefined && (
            <Button disabled={form.saving} onClick={() => submit(true)}>
              Save anyway
            </Button>
          )}
        </>
      }
    >
      <div ref={first} className="contents">
        <ProviderFields form={form} type={type} />
      </div>
      <form.Text name="name" label="Name" help="Display name." />
      {failed !== undefined && (
        <Notice kind="bad" live title="Not saved: the connection test failed">
          {failed.message} <span className="text-muted">({duration(failed.latency_ms)})</span>
        </Notice>
      )}
    </SettingsForm>
  );
}

function bodyOf(type: Exclude<ProviderType, 'demo'>, values: ProviderValues) {
  const url = values.base_url.trim();
  return {
    type,
    name: values.name,
    options: optionsOf(values),
    ...secretsOf(values),
    ...(url !== '' && { base_url: url }),
  };
}
