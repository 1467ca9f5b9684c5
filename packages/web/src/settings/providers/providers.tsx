import type { Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Plug, Plus } from 'lucide-react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { EnabledSwitch } from '../parts/saved-switch.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TestAnswer, TestButton, useTest } from '../parts/test-button.tsx';
import { type Editing, useEditing } from '../parts/use-editing.ts';
import { AddProvider } from './add-provider.tsx';
import { EditProvider } from './edit-provider.tsx';
import { TYPES } from './provider-types.ts';

export function Providers() {
  const editing = useEditing();
  const providers = useQuery(apiQuery('listProviders'));
  if (editing.edited === 'new') return <AddProvider onClose={editing.close} />;
  return (
    <QueryResult to={providers}>
      {({ providers: list }) => {
        const edited = list.find(({ id }) => id === editing.edited);
        return edited === undefined ? (
          <ProviderList providers={list} editing={editing} />
        ) : (
          <EditProvider key={edited.id} provider={edited} onClose={editing.close} />
        );
      }}
    </QueryResult>
  );
}

function ProviderList({
  providers,
  editing,
}: {
  readonly providers: readonly Provider[];
  readonly editing: Editing;
}) {
  const add = (
    <Button kind="primary" onClick={() => editing.open('new')}>
      <Plus aria-hidden className="size-4" />
      Add provider
    </Button>
  );
  const real = providers.filter(({ type }) => type !== 'demo');
  return (
    <>
      <Heading
        title="Providers"
        about="Accounts with model providers, and your own model servers."
        {...(real.length > 0 && { action: add })}
      />
      {real.length === 0 && (
        <EmptyState icon={<Plug />} title="Only the demo model is available" action={add}>
          Add a provider with your API key to use real models.
        </EmptyState>
      )}
      <Rows label="Providers">
        {providers.map((provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            onEdit={() => editing.open(provider.id)}
          />
        ))}
      </Rows>
    </>
  );
}

function ProviderRow({
  provider,
  onEdit,
}: {
  readonly provider: Provider;
  readonly onEdit: () => void;
}) {
  const { id, name, type, enabled, built_in } = provider;
  const changed = useInvalidateQueries();
  const [, navigate] = useLocation();
  const { data } = useQuery(apiQuery('listModelConfigs'));
  const hasNoModel =
    data !== undefined && !data.model_configs.some(({ provider_id }) => provider_id === id);
  const params = { provider_id: id };
  const test = useTest(() => client.call('testProvider', { params }));
  const enable = async (on: boolean) => {
    await client.call('updateProvider', { params, body: { enabled: on } });
    await changed();
  };
  const remove = async () => {
    await client.call('deleteProvider', { params });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={
        <>
          <KeyBadge provider={provider} />
          {!enabled && <Badge>disabled</Badge>}
          {hasNoModel && <Badge kind="warn">no models</Badge>}
        </>
      }
      about={[TYPES[type].label, provider.base_url]
        .filter((part) => part !== undefined)
        .join(' · ')}
      actions={
        <>
          {hasNoModel && (
            <Button size="small" onClick={() => navigate('/settings/models?edit=new')}>
              Add models
            </Button>
          )}
          <EnabledSwitch name={name} checked={enabled} onChange={enable} />
          <TestButton test={test} label={`Test ${name}`} size="small" />
          <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          {built_in !== true && (
            <DeleteButton what="provider" name={name} onDelete={remove}>
              Its key and models are deleted. A provider whose models are used by chats cannot be
              deleted; disable it instead.
            </DeleteButton>
          )}
        </>
      }
    >
      <TestAnswer state={test.state} />
    </Row>
  );
}

function KeyBadge({ provider }: { readonly provider: Provider }) {
  const { type, has_api_key, key_source } = provider;
  if (type === 'demo') return <Badge>built in</Badge>;
  if (key_source === 'environment') return <Badge kind="info">key from the environment</Badge>;
  if (key_source === 'stored') {
    return has_api_key === true ? (
      <Badge kind="good">key stored</Badge>
    ) : (
      <Badge kind="bad">key unreadable</Badge>
    );
  }
  return has_api_key === true ? <Badge>no key needed</Badge> : <Badge kind="warn">no key</Badge>;
}
