import type { Provider } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { BackLink } from '../parts/back-link.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { TestAnswer, TestButton, useTest } from '../parts/test-button.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { NO_SECRETS, optionsOf, secretsOf, TYPES, valuesOf } from './provider-types.ts';

export function EditProvider({
  provider,
  onClose,
}: {
  readonly provider: Provider;
  readonly onClose: () => void;
}) {
  const { id, name, type, key_source } = provider;
  const params = { provider_id: id };
  const changed = useInvalidateQueries();
  const test = useTest(() => client.call('testProvider', { params }));
  const form = useForm({
    initial: valuesOf(provider),
    alsoAt: ['aws_credentials'],
    async save(values) {
      const { name: called, base_url, enabled, allow_user_keys } = values;
      const demo = type === 'demo';
      await client.call('updateProvider', {
        params,
        body: {
          name: called,
          enabled,
          options: optionsOf(values),
          ...(!demo && {
            allow_user_keys,
            base_url: base_url.trim() === '' ? null : base_url.trim(),
            ...secretsOf(values),
          }),
        },
      });
      await changed();
      return { ...values, ...NO_SECRETS };
    },
  });
  const removeKey = async () => {
    await client.call('updateProvider', {
      params,
      body: { api_key: null, ...(type === 'bedrock' && { aws_credentials: null }) },
    });
    await changed();
  };
  return (
    <>
      <BackLink to="Providers" onClick={onClose} />
      <Heading title={name} about={TYPES[type].label} />
      {key_source === 'environment' && (
        <Notice title="API key from the environment">
          This provider was created from an environment variable of the server. The key is not
          stored. To change it, change the variable on all replicas and restart them, or enter a key
          below, which takes precedence.
        </Notice>
      )}
      <SettingsForm
        form={form}
        label={`Provider ${name}`}
        extra={
          <>
            <TestButton test={test} label={`Test ${name}`} disabled={form.changed} />
            {key_source === 'stored' && (
              <DeleteButton what="key of" name={name} verb="Remove" onDelete={removeKey}>
                The provider is kept but cannot be used until it has another key.
              </DeleteButton>
            )}
          </>
        }
      >
        <form.Text name="name" label="Name" />
        <ProviderFields form={form} type={type} stored={provider} />
        <form.Switch name="enabled" label="Enabled" help="Chats can use its models." />
        {type !== 'demo' && (
          <form.Switch
            name="allow_user_keys"
            label="Allow user keys"
            help="Users can set their own API key for their chats."
          />
        )}
        <TestAnswer state={test.state} />
      </SettingsForm>
    </>
  );
}
