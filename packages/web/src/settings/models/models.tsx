import type { ModelConfig, Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Cpu, Plus } from 'lucide-react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { price as priceText, tokenCount } from '../../format/money.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { EnabledSwitch } from '../parts/saved-switch.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TestButton, useTest } from '../parts/test-button.tsx';
import { type Editing, useEditing } from '../parts/use-editing.ts';
import { AddModel } from './add-model.tsx';
import { EditModel } from './edit-model.tsx';
import { ModelTestAnswer } from './model-test-answer.tsx';
import { toast } from '../../ui/toast.ts';

export function Models() {
  const editing = useEditing();
  const configs = useQuery(apiQuery('listModelConfigs'));
  const providers = useQuery(apiQuery('listProviders'));
  return (
    <QueryResult to={configs}>
      {({ model_configs: list }) => (
        <QueryResult to={providers}>
          {({ providers: all }) => {
            if (editing.edited === 'new') {
              return <AddModel providers={all} onClose={editing.close} />;
            }
            const edited = list.find(({ id }) => id === editing.edited);
            return edited === undefined ? (
              <ModelList configs={list} providers={all} editing={editing} />
            ) : (
              <EditModel
                key={edited.id}
                config={edited}
                configs={list}
                providers={all}
                onClose={editing.close}
              />
            );
          }}
        </QueryResult>
      )}
    </QueryResult>
  );
}

function ModelList({
  configs,
  providers,
  editing,
}: {
  readonly configs: readonly ModelConfig[];
  readonly providers: readonly Provider[];
  readonly editing: Editing;
}) {
  const hasProvider = providers.some(({ type, enabled }) => type !== 'demo' && enabled);
  const add = (
    <Button kind="primary" onClick={() => editing.open('new')}>
      <Plus aria-hidden className="size-4" />
      Add models
    </Button>
  );
  return (
    <>
      <Heading
        title="Models"
        about="Models available to chats. New chats use the default."
        {...(hasProvider && { action: add })}
      />
      {configs.every(({ provider_id }) => typeOf(providers, provider_id) === 'demo') && (
        <EmptyState icon={<Cpu />} title="Only the demo model is available">
          {hasProvider ? (
            'Choose models of your provider.'
          ) : (
            <>
              <Link href="/settings/providers?edit=new" className="text-link underline">
                Add a provider
              </Link>{' '}
              first, then choose from its models.
            </>
          )}
        </EmptyState>
      )}
      <Rows label="Models">
        {configs.map((config) => (
          <ModelRow
            key={config.id}
            config={config}
            provider={providers.find(({ id }) => id === config.provider_id)}
            onEdit={() => editing.open(config.id)}
          />
        ))}
      </Rows>
    </>
  );
}

const typeOf = (providers: readonly Provider[], id: string) =>
  providers.find((provider) => provider.id === id)?.type;

function ModelRow({
  config,
  provider,
  onEdit,
}: {
  readonly config: ModelConfig;
  readonly provider: Provider | undefined;
  readonly onEdit: () => void;
}) {
  const { id, display_name: name, model, context_limit, price, enabled, is_default } = config;
  const restricted = Array.isArray(config.group_ids);
  const params = { model_config_id: id };
  const changed = useInvalidateQueries();
  const test = useTest(() => client.call('testModelConfig', { params }));
  const enable = async (on: boolean) => {
    await client.call('updateModelConfig', { params, body: { enabled: on } });
    await changed();
  };
  const makeDefault = async () => {
    try {
      await client.call('updateModelConfig', { params, body: { is_default: true } });
      await changed();
      toast.success(`New chats use ${name}`);
    } catch (error) {
      toast.error(explain(error));
    }
  };
  const remove = async () => {
    await client.call('deleteModelConfig', { params });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={
        <>
          {is_default && <Badge kind="good">default</Badge>}
          {!enabled && <Badge>disabled</Badge>}
          {restricted && <Badge>restricted</Badge>}
          {provider?.enabled === false && <Badge kind="warn">provider disabled</Badge>}
          {price === undefined && <Badge kind="warn">no price</Badge>}
        </>
      }
      about={[
        provider?.name,
        model === name ? undefined : model,
        `${tokenCount(context_limit)} tokens of context`,
        price && `${priceText(price.input)} in, ${priceText(price.output)} out per million`,
      ]
        .filter((part) => part !== undefined)
        .join(' · ')}
      actions={
        <>
          <EnabledSwitch name={name} checked={enabled} onChange={enable} />
          <TestButton test={test} label={`Test ${name}`} size="small" />
          {!is_default && (
            <Button
              size="small"
              aria-label={`Make default: ${name}`}
              onClick={() => void makeDefault()}
            >
              Make default
            </Button>
          )}
          <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <DeleteButton what="model" name={name} onDelete={remove}>
            New chats can no longer use it. A model that chats use cannot be deleted; disable it
            instead.
          </DeleteButton>
        </>
      }
    >
      <ModelTestAnswer state={test.state} />
    </Row>
  );
}
