import type { Provider } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { BackLink } from '../parts/back-link.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { SavedSwitch } from '../parts/saved-switch.tsx';
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
  const { id, name, type, key_source, enabled, allow_user_keys } = provider;
  const params = { provider_id: id };
  const changed = useInvalidateQueries();
  const test = useTest(() => client.call('testProvider', { params }));
  const form = useForm({
    initial: valuesOf(provider),
    alsoAt: ['aws_credentials'],
    async save(values) {
      const { name: called, base_url } = values;
      await client.call('updateProvider', {
        params,
        body: {
          name: called,
          options: optionsOf(values),
          ...(type !== 'demo' && {
            base_url: base_url.trim() === '' ? null : base_url.trim(),
            ...secretsOf(values),
          }),
        },
      });
      await changed();
      return { ...values, ...NO_SECRETS };
    },
  });
  const update = async (body: { enabled?: boolean; allow_user_keys?: boolean }) => {
    await client.call('updateProvider', { params, body });
    await changed();
  };
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
      <div className="flex flex-col gap-4">
        <SavedSwitch
          label="Enabled"
          help="Chats can use its models."
          checked={enabled}
          onChange={(on) => update({ enabled: on })}
        />
        {type !== 'demo' && (
          <SavedSwitch
            label="Allow user keys"
            help="Users can set their own API key for their chats."
            checked={allow_user_keys}
            onChange={(on) => update({ allow_user_keys: on })}
          />
        )}
      </div>
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
        <TestAnswer state={test.state} />
      </SettingsForm>
    </>
  );
}
