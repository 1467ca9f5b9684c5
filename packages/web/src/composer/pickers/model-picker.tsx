import type { ModelConfig } from '@chatd/protocol';
import { ChevronDown } from 'lucide-react';
import { explain } from '../../api/explain.ts';
import { Menu, MenuChoices, MenuLine } from '../../ui/menu.tsx';
import { money, tokenCount } from '../../format/money.ts';
import { TOOL } from '../tool-style.ts';
import { EFFORT_NAMES, effortsOf } from './efforts.ts';
import type { ModelState } from './use-model.ts';

export function ModelPicker({
  model,
  open,
  onOpenChange,
  onClosed,
}: {
  readonly model: ModelState;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onClosed: () => void;
}) {
  const { configs, config, effort } = model;
  const efforts = config === undefined ? [] : effortsOf(config);
  const name = config?.display_name ?? (model.loading ? 'Model' : 'No model');
  return (
    <Menu
      open={open}
      onOpenChange={onOpenChange}
      onClosed={onClosed}
      trigger={
        <button type="button" className={TOOL}>
          <span className="sr-only">Model: </span>
          <span className="truncate text-text">{name}</span>
          {effort !== undefined && (
            <span className="shrink-0 max-sm:hidden">
              <span className="sr-only">, effort </span>
              {EFFORT_NAMES[effort]}
            </span>
          )}
          <ChevronDown aria-hidden className="max-sm:hidden" />
        </button>
      }
    >
      <div className="w-[min(22rem,calc(100vw-2rem))]">
        {configs.length === 0 ? (
          <p className="px-2 py-1.5 text-muted">{whyNone(model)}</p>
        ) : (
          <MenuChoices
            label="Model"
            value={config?.id ?? ''}
            onChange={model.chooseModel}
            choices={configs.map((choice) => ({
              value: choice.id,
              label: <About config={choice} />,
            }))}
          />
        )}
        {efforts.length > 0 && (
          <>
            <MenuLine />
            <MenuChoices
              label="Reasoning effort"
              value={effort ?? ''}
              onChange={(next) => {
                const wanted = efforts.find((candidate) => candidate === next);
                if (wanted !== undefined) model.chooseEffort(wanted);
              }}
              choices={efforts.map((value) => ({
                value,
                label:
                  value === config?.reasoning_effort?.default
                    ? `${EFFORT_NAMES[value]} (default)`
                    : EFFORT_NAMES[value],
              }))}
            />
          </>
        )}
      </div>
    </Menu>
  );
}

function About({ config }: { readonly config: ModelConfig }) {
  const { display_name, context_limit, price } = config;
  return (
    <>
      <span className="block">{display_name}</span>
      <span className="block text-sm text-muted">
        {tokenCount(context_limit)} context
        {price !== undefined && ` · ${priceOf(price)}`}
      </span>
    </>
  );
}

/** Input and output. */
const priceOf = ({ input, output }: NonNullable<ModelConfig['price']>): string =>
  input === 0 && output === 0 ? 'free' : `${money(input)} / ${money(output)} per million tokens`;

function whyNone({ loading, error }: ModelState): string {
  if (loading) return 'Loading models…';
  if (error !== null) return explain(error);
  return 'All models are disabled. An admin can enable one in the settings.';
}
