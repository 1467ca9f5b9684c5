import type { ModelConfig, OfferedModel, Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SelectField } from '../../ui/select.tsx';
import { numberIn } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { type FieldErrors, useForm } from '../form/use-form.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { TestAnswer, type Tested, type TestState } from '../parts/test-button.tsx';
import { bodyOfChosen, type ChosenModel, chosenFrom, nameOf, needsLimit } from './chosen-model.ts';
import { OfferedModels } from './offered-models.tsx';

interface ChooseModelsProps {
  readonly provider: Provider;
  /** The first models of this provider: the suggested one is selected, and the default is tested. */
  readonly first?: boolean;
  /** New chats use the first selected model, unless the admin chooses otherwise. */
  readonly makeDefault?: boolean;
  readonly onDone: (models: readonly ModelConfig[]) => void;
}

/** Adds models from the provider's list, or by their id. */
export function ChooseModels(props: ChooseModelsProps) {
  const offers = useQuery(apiQuery('listModels'));
  return (
    <QueryResult to={offers} loading={`Loading the models of ${props.provider.name}`}>
      {({ providers, catalogue_date }) => {
        const offer = providers.find(({ provider_id }) => provider_id === props.provider.id);
        return (
          <>
            {offer?.error !== undefined && (
              <Notice kind="warn" title="The provider's models could not be listed">
                {offer.error.message} Well-known models are listed. You can enter any other model
                ID.
              </Notice>
            )}
            <ModelForm {...props} models={offer?.models ?? []} />
            <p className="text-sm text-muted">
              Limits and prices are from {catalogue_date}. Compare the prices with the provider's
              price list.
            </p>
          </>
        );
      }}
    </QueryResult>
  );
}

/** The current default stays. */
const KEEP = '';

interface Values {
  readonly chosen: readonly ChosenModel[];
  /** Undefined until the admin chooses. */
  readonly default_model?: string;
}

const limitPath = (id: string) => `limit of ${id}`;

function ModelForm({
  provider,
  models,
  first = false,
  makeDefault = false,
  onDone,
}: ChooseModelsProps & { readonly models: readonly OfferedModel[] }) {
  const changed = useInvalidateQueries();
  // Models of an earlier attempt are not created again.
  const made = useRef(new Map<string, ModelConfig>());
  const passed = useRef(false);
  const [test, setTest] = useState<TestState<Tested>>({ kind: 'none' });
  const suggested = first ? models.find((one) => one.suggested && !one.configured) : undefined;
  const defaultOf = ({ chosen, default_model }: Values): string =>
    default_model !== undefined && chosen.some(({ id }) => id === default_model)
      ? default_model
      : makeDefault && default_model !== KEEP
        ? (chosen[0]?.id ?? KEEP)
        : KEEP;
  const form = useForm<Values>({
    initial: { chosen: suggested === undefined ? [] : [chosenFrom(suggested)] },
    check: ({ chosen }): FieldErrors => ({
      ...(chosen.length === 0 && { chosen: 'choose a model, or enter its ID' }),
      ...Object.fromEntries(
        chosen
          .filter((one) => needsLimit(one) && !((numberIn(one.context_limit) ?? NaN) > 0))
          .map(({ id }) => [limitPath(id), 'enter the context limit in tokens']),
      ),
    }),
    async save(values) {
      const isDefault = defaultOf(values);
      for (const one of values.chosen) {
        if (made.current.has(one.id)) continue;
        const body = {
          provider_id: provider.id,
          ...bodyOfChosen(one),
          is_default: one.id === isDefault,
        };
        made.current.set(one.id, await client.call('createModelConfig', { body }));
      }
      const configs = [...made.current.values()];
      const tested = made.current.get(isDefault) ?? configs[0];
      if (first && tested !== undefined) {
        setTest({ kind: 'asking' });
        const params = { model_config_id: tested.id };
        const answer = await client.call('testModelConfig', { params });
        setTest({ kind: 'answered', answer });
        if (!answer.ok) return;
      }
      await changed();
      passed.current = true;
    },
    onSaved: () => passed.current && onDone([...made.current.values()]),
  });
  const { chosen } = form.values;
  const failed = test.kind === 'answered' && !test.answer.ok;
  return (
    <SettingsForm
      form={form}
      label="Choose models"
      action={
        form.saving ? 'Testing…' : chosen.length > 1 ? `Add ${chosen.length} models` : 'Add model'
      }
      evenUnchanged
      extra={
        failed && (
          <Button onClick={() => void changed().then(() => onDone([...made.current.values()]))}>
            Continue anyway
          </Button>
        )
      }
    >
      <OfferedModels
        models={models}
        chosen={chosen}
        onChange={(next) => form.set({ chosen: next })}
        error={form.errorAt('chosen')}
        limitError={(id) => form.errorAt(limitPath(id))}
      />
      {chosen.length > 0 && (
        <div className="sm:max-w-sm">
          <SelectField
            label="Default for new chats"
            value={defaultOf(form.values)}
            choices={[
              { value: KEEP, label: 'Keep the current default' },
              ...chosen.map((one) => ({ value: one.id, label: nameOf(one) })),
            ]}
            onChange={(event) => form.set({ default_model: event.target.value })}
          />
        </div>
      )}
      <TestAnswer state={test} />
    </SettingsForm>
  );
}
