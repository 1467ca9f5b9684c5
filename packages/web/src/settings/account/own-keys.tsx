import type { Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Group } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { toast } from '../../ui/toast.ts';

/** The user's own API keys. Hidden when no provider accepts them. */
export function OwnKeys() {
  const { data } = useQuery(apiQuery('listProviders'));
  const taking = data?.providers.filter(
    ({ enabled, allow_user_keys }) => enabled && allow_user_keys,
  );
  if (taking === undefined || taking.length === 0) return null;
  return (
    <Group
      title="Your API keys"
      about="These providers accept your own API key, which is used for your chats instead of the shared one. Keys are never shown again."
    >
      <Rows label="Providers that accept your API key">
        {taking.map((provider) => (
          <OwnKey key={provider.id} provider={provider} />
        ))}
      </Rows>
    </Group>
  );
}

function OwnKey({ provider }: { readonly provider: Provider }) {
  const { id, name, has_own_key } = provider;
  const [writing, setWriting] = useState(false);
  const changed = useInvalidateQueries();
  const remove = async () => {
    await client.call('deleteOwnKey', { params: { provider_id: id } });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={has_own_key ? <Badge kind="good">your key</Badge> : <Badge>no key</Badge>}
      actions={
        <>
          <Button size="small" aria-expanded={writing} onClick={() => setWriting(!writing)}>
            {has_own_key ? 'Replace key' : 'Set key'}
          </Button>
          {has_own_key && (
            <DeleteButton what="your key for" name={name} verb="Remove" onDelete={remove}>
              Your chats will use the provider's shared key, if it has one.
            </DeleteButton>
          )}
        </>
      }
    >
      {writing && <KeyForm provider={provider} onDone={() => setWriting(false)} />}
    </Row>
  );
}

function KeyForm({
  provider: { id, name },
  onDone,
}: {
  readonly provider: Provider;
  readonly onDone: () => void;
}) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { api_key: '' },
    async save({ api_key }) {
      await client.call('setOwnKey', { params: { provider_id: id }, body: { api_key } });
      await changed();
      return { api_key: '' };
    },
    onSaved() {
      toast.success(`Key for ${name} saved`);
      onDone();
    },
  });
  return (
    <SettingsForm form={form} label={`Your key for ${name}`} onCancel={onDone}>
      <form.Text name="api_key" label="API key" type="password" />
    </SettingsForm>
  );
}
