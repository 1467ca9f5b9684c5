import type { ModelConfig, Provider } from '@chatd/protocol';
import { type FormEvent, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { useInvalidateQueries } from '../api/queries.ts';
import { bodyOfChosen, chosenFrom, rankOf } from '../settings/models/chosen-model.ts';
import { connectProvider } from '../settings/providers/connect.ts';
import { composerStateOf } from '../state/composer-state.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { INPUT } from '../ui/field.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { recognize, type Recognized } from './recognize.ts';
import { toast } from '../ui/toast.ts';

/** A key is enough: its provider is recognized, and the suggested model becomes the default. */
export function ConnectModel() {
  const id = useId();
  const changed = useInvalidateQueries();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [connecting, setConnecting] = useState(false);
  const found = recognize(text);

  const connect = async (recognized: Recognized) => {
    setConnecting(true);
    try {
      const made = await connectProvider(bodyOf(recognized, text.trim()));
      if ('ok' in made) return setProblem(made.message);
      const model = await addSuggested(made);
      await changed();
      if (model === undefined) return go('/settings/models?edit=new');
      toast.success(`${model.display_name} is ready`);
      composerStateOf('new').focus();
    } catch (error) {
      setProblem(explain(error));
    } finally {
      setConnecting(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    if (found !== undefined) void connect(found);
    else setProblem('This key is not recognized. Choose its provider instead.');
  };
  return (
    <form aria-label="Connect a model" onSubmit={submit} className="flex flex-col gap-1.5">
      <label htmlFor={id} className="sr-only">
        API key or server URL
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          type={found?.type === 'openai-compatible' ? 'url' : 'password'}
          autoComplete="off"
          spellCheck={false}
          placeholder="Paste an API key or a server URL"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-about`}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(undefined);
          }}
          className={cx(INPUT, 'min-w-0 flex-1 basis-52')}
        />
        <Button type="submit" kind="primary" disabled={connecting || text.trim() === ''}>
          {connecting && <Spinner className="border-on-accent border-t-transparent" />}
          {connecting ? 'Connecting…' : 'Connect'}
        </Button>
      </div>
      <div id={`${id}-about`} className="text-sm text-muted">
        {problem === undefined ? (
          <p>
            {found === undefined
              ? 'Anthropic, OpenAI, Google, OpenRouter, Vercel, Ollama and compatible servers.'
              : `${found.name}. The key is stored encrypted.`}{' '}
            <OtherProviders />
          </p>
        ) : (
          <p role="alert" className="text-bad">
            {problem} <OtherProviders />
          </p>
        )}
      </div>
    </form>
  );
}

const OtherProviders = () => (
  <Link href="/settings/providers?edit=new" className="whitespace-nowrap text-text underline">
    All providers
  </Link>
);

const bodyOf = ({ type, name }: Recognized, text: string) => ({
  type,
  name,
  ...(type === 'openai-compatible' ? { base_url: text } : { api_key: text }),
});

/** Makes the best known model the default. Undefined: the admin has to choose one. */
async function addSuggested({ id }: Provider): Promise<ModelConfig | undefined> {
  const { providers } = await client.call('listModels', {});
  const models = providers.find(({ provider_id }) => provider_id === id)?.models ?? [];
  const usable = models.filter(({ context_limit }) => context_limit !== undefined);
  const best = usable.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  if (best === undefined) return undefined;
  const body = { provider_id: id, ...bodyOfChosen(chosenFrom(best)), is_default: true };
  return await client.call('createModelConfig', { body });
}
