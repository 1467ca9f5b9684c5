import type { ModelConfig, Provider, ProviderType } from '@chatd/protocol';
import { ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useModels } from '../../first-run/use-models.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { ChooseModels } from '../models/choose-models.tsx';
import { ConnectProvider } from './connect-provider.tsx';
import { CREATABLE, TYPES } from './provider-types.ts';

type Creatable = Exclude<ProviderType, 'demo'>;

type Step =
  | { readonly at: 'type' }
  | { readonly at: 'connect'; readonly type: Creatable }
  | { readonly at: 'models'; readonly provider: Provider }
  | {
      readonly at: 'done';
      readonly provider: Provider;
      readonly models: readonly ModelConfig[];
    };

const STEPS: readonly { at: Step['at']; title: string }[] = [
  { at: 'type', title: 'Choose' },
  { at: 'connect', title: 'Connect' },
  { at: 'models', title: 'Models' },
  { at: 'done', title: 'Done' },
];

/** The setup wizard: type, connection, models. */
export function AddProvider({ onClose }: { readonly onClose: () => void }) {
  const [step, setStep] = useState<Step>({ at: 'type' });
  const models = useModels();
  return (
    <>
      <BackLink to="Providers" onClick={onClose} />
      <Heading title="Add provider" />
      <Progress at={step.at} />
      {step.at === 'type' && (
        <ul aria-label="Provider types" className="grid gap-2 sm:grid-cols-2">
          {CREATABLE.map((type) => (
            <li key={type}>
              <button
                type="button"
                onClick={() => setStep({ at: 'connect', type })}
                className="group flex h-full w-full items-center gap-3 rounded-xl border border-line px-3.5 py-3 text-start hover:border-line-strong hover:bg-hover"
              >
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{TYPES[type].label}</span>
                  <span className="block text-sm text-muted">{TYPES[type].about}</span>
                </span>
                <ChevronRight
                  aria-hidden
                  className="size-4 shrink-0 text-muted group-hover:text-text"
                />
              </button>
            </li>
          ))}
        </ul>
      )}
      {step.at === 'connect' && (
        <ConnectProvider
          type={step.type}
          onBack={() => setStep({ at: 'type' })}
          onConnected={(provider) => setStep({ at: 'models', provider })}
        />
      )}
      {step.at === 'models' && models !== undefined && (
        <ChooseModels
          provider={step.provider}
          first
          makeDefault={models !== 'real'}
          onDone={(made) => setStep({ at: 'done', provider: step.provider, models: made })}
        />
      )}
      {step.at === 'done' && (
        <Done models={step.models} provider={step.provider} onClose={onClose} />
      )}
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
  models,
  provider,
  onClose,
}: {
  readonly models: readonly ModelConfig[];
  readonly provider: Provider;
  readonly onClose: () => void;
}) {
  const start = useRef<HTMLAnchorElement>(null);
  useEffect(() => start.current?.focus(), []);
  const names = models.map(({ display_name }) => display_name).join(', ');
  const standard = models.find(({ is_default }) => is_default);
  return (
    <div className="flex flex-col items-start gap-4" role="status">
      <div>
        <p className="text-lg font-semibold">
          {names} {models.length === 1 ? 'is' : 'are'} ready
        </p>
        <p className="text-muted">
          {provider.name} is connected.{' '}
          {standard === undefined
            ? 'Chats can choose its models.'
            : `New chats use ${standard.display_name}.`}{' '}
          You can change this under Models.
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
