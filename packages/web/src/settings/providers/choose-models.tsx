import type { ModelConfig, OfferedModel, Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { notNumbers, numberIn } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { TestAnswer, type TestState } from '../parts/test-button.tsx';
import { OfferedModels } from '../models/offered-models.tsx';

export interface ChooseModelsProps {
  readonly provider: Provider;
  /** With the created model. */
  readonly onChosen: (model: ModelConfig) => void;
}

/** Creates the first model from the provider's list. */
export function ChooseModels({ provider, onChosen }: ChooseModelsProps) {
  const offers = useQuery(apiQuery('listModels'));
  return (
    <QueryResult to={offers} loading={`Loading the models of ${provider.name}`}>
      {({ providers }) => {
        const offer = providers.find(({ provider_id }) => provider_id === provider.id);
        return (
          <>
            {offer?.error !== undefined && (
              <Notice kind="warn" title="The provider's models could not be listed">
                {offer.error.message} Well-known models are listed. You can enter any other model
                id.
              </Notice>
            )}
            <ModelForm provider={provider} onChosen={onChosen} models={offer?.models ?? []} />
          </>
        );
      }}
    </QueryResult>
  );
}

function ModelForm({
  provider,
  models,
  onChosen,
}: ChooseModelsProps & { readonly models: readonly OfferedModel[] }) {
  const changed = useInvalidateQueries();
  const [made, setMade] = useState<ModelConfig>();
  const [test, setTest] = useState<TestState<{ ok: boolean; message: string; latency_ms: number }>>(
    {
      kind: 'none',
    },
  );
  const form = useForm({
    initial: { model: '', context_limit: '', is_default: true },
    check: (values) => ({
      ...notNumbers(values, ['context_limit']),
      ...(values.model.trim() === '' && { model: 'choose a model, or enter its id' }),
    }),
    async save({ model, context_limit, is_default }) {
      const limit = numberIn(context_limit);
      const body = {
        model: model.trim(),
        is_default,
        ...saidOf(models.find(({ id }) => id === model.trim())),
        ...(limit !== undefined && { context_limit: limit }),
      };
      const config =
        made === undefined
          ? await client.call('createModelConfig', { body: { provider_id: provider.id, ...body } })
          : await client.call('updateModelConfig', { params: { model_config_id: made.id }, body });
      setMade(config);
      setTest({ kind: 'asking' });
      const answer = await client.call('testModelConfig', {
        params: { model_config_id: config.id },
      });
      await changed();
      if (answer.ok) onChosen(config);
      else setTest({ kind: 'answered', answer });
    },
  });
  const chosen = models.find(({ id }) => id === form.values.model);
  return (
    <SettingsForm
      form={form}
      label="Choose a model"
      action={form.saving ? 'Testing…' : 'Add and test model'}
      evenUnchanged
    >
      {models.length > 0 && (
        <OfferedModels
          models={models}
          chosen={form.values.model}
          onChoose={({ id, context_limit }) =>
            form.set({
              model: id,
              context_limit: context_limit === undefined ? '' : String(context_limit),
            })
          }
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <form.Text name="model" label="Model" spellCheck={false} help="The provider's model id." />
        <form.Number
          name="context_limit"
          label="Context limit"
          help={
            chosen?.context_limit === undefined
              ? 'In tokens. Required for unknown models.'
              : 'In tokens. Known for this model.'
          }
        />
      </div>
      <form.Switch
        name="is_default"
        label="Default for new chats"
        help="Existing chats keep their model."
      />
      <TestAnswer state={test} />
    </SettingsForm>
  );
}

/** Properties reported by the provider. Omitted ones come from the catalog. */
const saidOf = (model: OfferedModel | undefined) => ({
  ...(model?.name !== undefined && { display_name: model.name }),
  ...(model?.max_output_tokens !== undefined && { max_output_tokens: model.max_output_tokens }),
  ...(model?.price !== undefined && { price: model.price }),
});
