import type { ModelConfig, OfferedModel, Provider } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { microsText, numberText } from '../form/numbers.ts';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { QueryResult } from '../parts/query-result.tsx';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { useEditing } from '../parts/use-editing.ts';
import { ModelFields, ProviderChoice } from './model-fields.tsx';
import { bodyOf, checkModel, type ModelValues, newModelValues, PARTS } from './model-values.ts';
import { OfferedModels } from './offered-models.tsx';

/** Adds an offered model with its known properties, or any other by its id. */
export function AddModel({
  providers,
  configs,
  onClose,
}: {
  readonly providers: readonly Provider[];
  readonly configs: readonly ModelConfig[];
  readonly onClose: () => void;
}) {
  const changed = useInvalidateQueries();
  const editing = useEditing();
  const usable = providers.filter(({ enabled }) => enabled);
  const first = usable.find(({ type }) => type !== 'demo') ?? usable[0];
  const made = useRef<ModelConfig>(undefined);
  const form = useForm({
    initial: newModelValues(first?.id ?? '', false),
    check: (values) => ({
      ...checkModel(values),
      ...(values.model.trim() === '' && { model: 'choose a model, or enter its id' }),
    }),
    alsoAt: PARTS,
    async save(values) {
      made.current = await client.call('createModelConfig', {
        body: { ...given(bodyOf(values)), is_default: values.is_default },
      });
      await changed();
    },
    onSaved() {
      if (made.current === undefined) return;
      toast.success(`${made.current.display_name} added`);
      // Opens the page on which it can be tested.
      editing.open(made.current.id);
    },
  });
  return (
    <>
      <BackLink to="Models" onClick={onClose} />
      <Heading title="Add model" />
      <SettingsForm form={form} label="Add model" action="Add model">
        <ProviderChoice form={form} providers={usable} />
        <Offer
          providerId={form.values.provider_id}
          chosen={form.values.model}
          onChoose={(model) => form.set(known(model))}
        />
        <form.Text
          name="model"
          label="Model"
          spellCheck={false}
          help="The provider's model id. Choose it above or enter it."
        />
        <ModelFields form={form} configs={configs} />
        <form.Switch
          name="is_default"
          label="Default for new chats"
          help="New chats use this model."
        />
      </SettingsForm>
    </>
  );
}

/** Empty fields are omitted, so that the catalog applies; null would mean none. */
function given(body: ReturnType<typeof bodyOf>) {
  const some = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(some) as typeof body;
}

const known = ({
  id,
  name,
  context_limit,
  max_output_tokens,
  price,
}: OfferedModel): Partial<ModelValues> => ({
  model: id,
  display_name: name ?? id,
  context_limit: numberText(context_limit),
  max_output_tokens: numberText(max_output_tokens),
  price_input: microsText(price?.input),
  price_output: microsText(price?.output),
  price_cache_read: microsText(price?.cache_read),
  price_cache_write: microsText(price?.cache_write),
});

function Offer({
  providerId,
  chosen,
  onChoose,
}: {
  readonly providerId: string;
  readonly chosen: string;
  readonly onChoose: (model: OfferedModel) => void;
}) {
  const offers = useQuery(apiQuery('listModels'));
  return (
    <QueryResult to={offers} loading="Loading the providers' models">
      {({ providers, catalogue_date }) => {
        const offer = providers.find(({ provider_id }) => provider_id === providerId);
        return (
          <>
            {offer?.error !== undefined && (
              <Notice kind="warn" title="The provider's models could not be listed">
                {offer.error.message}
              </Notice>
            )}
            {offer !== undefined && offer.models.length > 0 && (
              <>
                <OfferedModels models={offer.models} chosen={chosen} onChoose={onChoose} />
                <p className="text-sm text-muted">
                  Limits and prices are from {catalogue_date}. Compare the prices with the
                  provider's price list.
                </p>
              </>
            )}
          </>
        );
      }}
    </QueryResult>
  );
}
