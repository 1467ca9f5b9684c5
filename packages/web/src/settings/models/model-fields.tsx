import type { ModelConfig, Provider } from '@chatd/protocol';
import type { ReactNode } from 'react';
import type { Choice } from '../../ui/select.tsx';
import type { Form } from '../form/use-form.ts';
import { GroupChoice } from '../groups/group-choice.tsx';
import { EFFORTS, type ModelValues } from './model-values.ts';

interface Props {
  readonly form: Form<ModelValues>;
}

const EFFORT_CHOICES: readonly Choice[] = [
  { value: '', label: 'Model default' },
  ...EFFORTS.map((value) => ({ value, label: value })),
];

/** All model settings of the API, most important first. */
export function ModelFields({
  form,
  configs,
  ownId,
}: Props & { readonly configs: readonly ModelConfig[]; readonly ownId?: string }) {
  const others: readonly Choice[] = [
    { value: '', label: 'Same model' },
    ...configs
      .filter(({ id }) => id !== ownId)
      .map(({ id, display_name }) => ({ value: id, label: display_name })),
  ];
  return (
    <>
      <Fields>
        <form.Text name="display_name" label="Display name" help="Shown in the model menu." />
        <form.Number name="context_limit" label="Context limit" help="In tokens." />
        <form.Number
          name="compaction_threshold"
          label="Compaction threshold"
          help="Percent of the context limit at which the history is summarized. 100: never."
        />
        <form.Number
          name="max_output_tokens"
          label="Max output tokens"
          help="Empty: the provider's default."
        />
      </Fields>
      <GroupChoice
        value={form.values.group_ids}
        onChange={(group_ids) => form.set({ group_ids })}
      />
      <Fold
        title="Reasoning and sampling"
        form={form}
        of={[
          'effort_default',
          'effort_max',
          'temperature',
          'top_p',
          'top_k',
          'presence_penalty',
          'frequency_penalty',
        ]}
      >
        <Fields>
          <form.Select
            name="effort_default"
            path={
              form.errorAt('effort_default') === undefined ? 'reasoning_effort' : 'effort_default'
            }
            label="Reasoning effort"
            choices={EFFORT_CHOICES}
            help="For chats that set none."
          />
          <form.Select
            name="effort_max"
            label="Max reasoning effort"
            choices={EFFORT_CHOICES}
            help="The highest effort that a chat may request."
          />
          <form.Number name="temperature" label="Temperature" help="0 to 2." />
          <form.Number name="top_p" label="Top P" help="0 to 1." />
          <form.Number name="top_k" label="Top K" />
          <form.Number
            name="presence_penalty"
            label="Presence penalty"
            help="-2 to 2. Not supported by all providers."
          />
          <form.Number
            name="frequency_penalty"
            label="Frequency penalty"
            help="-2 to 2. Not supported by all providers."
          />
        </Fields>
      </Fold>
      <Fold
        title="Price"
        form={form}
        of={['price_input', 'price_output', 'price_cache_read', 'price_cache_write', 'price']}
      >
        <p className="mb-3 text-sm text-muted">
          US dollars per million tokens. 0 is a valid price; calls without a price are counted but
          not included in costs.
        </p>
        <Fields>
          <form.Number name="price_input" label="Input" />
          <form.Number name="price_output" label="Output" />
          <form.Number name="price_cache_read" label="Cache read" help="Empty: the input price." />
          <form.Number
            name="price_cache_write"
            label="Cache write"
            help="Empty: the input price."
          />
        </Fields>
      </Fold>
      <Fold
        title="Web search"
        form={form}
        of={['web_search', 'allowed_domains', 'blocked_domains', 'context_size']}
      >
        <div className="flex flex-col gap-4">
          <form.Check
            name="web_search"
            label="Provider web search"
            help="Lets the model search the web. The provider may charge for it."
          />
          {form.values.web_search && <SearchFields form={form} />}
        </div>
      </Fold>
      <Fold
        title="Helper models and provider options"
        form={form}
        of={['provider_options', 'title_model_config_id', 'summary_model_config_id']}
      >
        <div className="flex flex-col gap-4">
          <Fields>
            <form.Select name="title_model_config_id" label="Title model" choices={others} />
            <form.Select name="summary_model_config_id" label="Summary model" choices={others} />
          </Fields>
          <form.Area
            name="provider_options"
            label="Provider options"
            code
            rows={6}
            placeholder={'{ "openai": { "serviceTier": "flex" } }'}
            help="JSON, keyed by the name of the provider's package, with its option names. Unknown options are refused."
          />
        </div>
      </Fold>
    </>
  );
}

function SearchFields({ form }: Props) {
  return (
    <Fields>
      <form.Area
        name="allowed_domains"
        path="web_search.allowed_domains"
        label="Allowed domains"
        placeholder="example.org"
        help="One per line. Empty: all."
      />
      <form.Area
        name="blocked_domains"
        path="web_search.blocked_domains"
        label="Blocked domains"
        help="One per line."
      />
      <form.Select
        name="context_size"
        path="web_search.context_size"
        label="Search context size"
        choices={[
          { value: '', label: 'Provider default' },
          { value: 'low', label: 'Low' },
          { value: 'medium', label: 'Medium' },
          { value: 'high', label: 'High' },
        ]}
      />
    </Fields>
  );
}

const Fields = ({ children }: { readonly children: ReactNode }) => (
  <div className="grid items-start gap-4 sm:grid-cols-2">{children}</div>
);

/** Rarely changed fields. Expands when one of them is invalid. */
function Fold({
  title,
  form,
  of,
  children,
}: {
  readonly title: string;
  readonly form: Form<ModelValues>;
  readonly of: readonly string[];
  readonly children: ReactNode;
}) {
  const wrong = of.some((path) => form.errorAt(path) !== undefined);
  return (
    <details className="rounded-xl border border-line px-3 py-2" {...(wrong && { open: true })}>
      <summary className="py-1 font-medium">{title}</summary>
      <div className="pt-2 pb-2">{children}</div>
    </details>
  );
}

export function ProviderChoice({
  form,
  providers,
}: Props & { readonly providers: readonly Provider[] }) {
  return (
    <form.Select
      name="provider_id"
      label="Provider"
      choices={providers.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
