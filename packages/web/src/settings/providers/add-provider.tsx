import type { ModelConfig, Provider, ProviderType } from '@chatd/protocol';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { RadioCards } from '../../ui/radio-cards.tsx';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { ChooseModels } from './choose-models.tsx';
import { ConnectProvider } from './connect-provider.tsx';
import { CREATABLE, TYPES } from './provider-types.ts';

type Creatable = Exclude<ProviderType, 'demo'>;

type Step =
  | { readonly at: 'type' }
  | { readonly at: 'connect'; readonly type: Creatable }
  | { readonly at: 'models'; readonly provider: Provider }
  | { readonly at: 'done'; readonly provider: Provider; readonly model: ModelConfig };

const STEPS: readonly { at: Step['at']; title: string }[] = [
  { at: 'type', title: 'Choose' },
  { at: 'connect', title: 'Connect' },
  { at: 'models', title: 'Models' },
  { at: 'done', title: 'Done' },
];

/** The setup wizard: type, key, test, model, default. */
export function AddProvider({ onClose }: { readonly onClose: () => void }) {
  const [step, setStep] = useState<Step>({ at: 'type' });
  const [type, setType] = useState<Creatable>('anthropic');
  return (
    <>
      <BackLink to="Providers" onClick={onClose} />
      <Heading title="Add provider" />
      <Progress at={step.at} />
      {step.at === 'type' && (
        <form
          aria-label="Choose a provider"
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            setStep({ at: 'connect', type });
          }}
        >
          <RadioCards
            legend="Provider type"
            value={type}
            onChange={setType}
            cards={CREATABLE.map((value) => ({
              value,
              label: TYPES[value].label,
              help: TYPES[value].about,
            }))}
            columns="sm:grid-cols-2"
          />
          <div>
            <Button type="submit" kind="primary">
              Continue
            </Button>
          </div>
        </form>
      )}
      {step.at === 'connect' && (
        <ConnectProvider
          type={step.type}
          onBack={() => setStep({ at: 'type' })}
          onConnected={(provider) => setStep({ at: 'models', provider })}
        />
      )}
      {step.at === 'models' && (
        <ChooseModels
          provider={step.provider}
          onChosen={(model) => setStep({ at: 'done', provider: step.provider, model })}
        />
      )}
      {step.at === 'done' && <Done model={step.model} provider={step.provider} onClose={onClose} />}
    </>
  );
}

function Progress({ at }: { readonly at: Step['at'] }) {
  const current = STEPS.findIndex((step) => step.at === at);
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-4 gap-y-1">
      {STEPS.map(({ at: id, title }, index) => (
        <li
          key={id}
          aria-current={index === current ? 'step' : undefined}
          className={cx(
            'flex items-center gap-1.5 text-sm',
            index === current ? 'font-medium' : 'text-muted',
          )}
        >
          <span
            aria-hidden
            className={cx(
              'flex size-6 items-center justify-center rounded-full text-sm',
              index <= current ? 'bg-accent text-on-accent' : 'bg-hover',
            )}
          >
            {index < current ? '✓' : index + 1}
          </span>
          {title}
          {index < current && <span className="sr-only">(done)</span>}
        </li>
      ))}
    </ol>
  );
}

function Done({
  model,
  provider,
  onClose,
}: {
  readonly model: ModelConfig;
  readonly provider: Provider;
  readonly onClose: () => void;
}) {
  const start = useRef<HTMLAnchorElement>(null);
  useEffect(() => start.current?.focus(), []);
  return (
    <div className="flex flex-col items-start gap-4" role="status">
      <div>
        <p className="text-lg font-semibold">{model.display_name} is ready</p>
        <p className="text-muted">
          {provider.name} is connected, and{' '}
          {model.is_default
            ? `new chats use ${model.display_name}`
            : `chats can choose ${model.display_name}`}
          . You can change this under Models.
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Link
          href="/"
          ref={start}
          className="inline-flex h-9 items-center rounded-lg bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-hover"
        >
          Start a chat
        </Link>
        <Button onClick={onClose}>Back to providers</Button>
      </div>
    </div>
  );
}
