import type { Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { question, useChanged } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { FormText } from '../form/fields.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Group } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';

/** Keys of one's own, for providers that take them; nothing where there are none. */
export function OwnKeys() {
  const { data } = useQuery(question('listProviders'));
  const taking = data?.providers.filter(
    ({ enabled, allow_user_keys }) => enabled && allow_user_keys,
  );
  if (taking === undefined || taking.length === 0) return null;
  return (
    <Group
      title="Keys of your own"
      about="These providers take a key of yours. It is used for your chats instead of the shared one, and is never shown again."
    >
      <Rows label="Providers that take a key of yours">
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
  const changed = useChanged();
  const remove = async () => {
    await client.call('deleteOwnKey', { params: { provider_id: id } });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={
        has_own_key ? <Badge kind="good">Your key is used</Badge> : <Badge>No key of yours</Badge>
      }
      actions={
        <>
          <Button size="small" aria-expanded={writing} onClick={() => setWriting(!writing)}>
            {has_own_key ? 'Replace' : 'Set a key'}
          </Button>
          {has_own_key && (
            <DeleteButton what="your key for" name={name} verb="Remove" onDelete={remove}>
              Your chats use the shared key of this provider from then on, if it has one.
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
  const changed = useChanged();
  const form = useForm({
    initial: { api_key: '' },
    async save({ api_key }) {
      await client.call('setOwnKey', { params: { provider_id: id }, body: { api_key } });
      await changed();
      return { api_key: '' };
    },
    onSaved() {
      toast.success(`Your key for ${name} is stored.`);
      onDone();
    },
  });
  return (
    <SettingsForm form={form} label={`Your key for ${name}`} onCancel={onDone}>
      <FormText form={form} name="api_key" label="API key" type="password" />
    </SettingsForm>
  );
}
