import type { OfferedModel } from '@chatd/protocol';
import { Plus, Search, X } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { INPUT } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { price as priceText, tokenCount } from '../../format/money.ts';
import { counted } from '../../format/number.ts';
import { type ChosenModel, chosenFrom, nameOf, needsLimit, rankOf } from './chosen-model.ts';

/** Use the search to find others. */
const SHOWN = 100;

interface OfferedModelsProps {
  readonly models: readonly OfferedModel[];
  readonly chosen: readonly ChosenModel[];
  readonly onChange: (chosen: readonly ChosenModel[]) => void;
  readonly error: string | undefined;
  readonly limitError: (id: string) => string | undefined;
}

/** A provider's models to select from, with search. The suggested and known ones come first. */
export function OfferedModels(props: OfferedModelsProps) {
  const { models, chosen, onChange, error } = props;
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/);
  const found = models
    .filter(({ id, name = '' }) => {
      const text = `${id} ${name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const isChosen = (id: string) => chosen.some((one) => one.id === id);
  const toggle = (model: OfferedModel, on: boolean) =>
    onChange(on ? [...chosen, chosenFrom(model)] : chosen.filter((one) => one.id !== model.id));
  const entered = search.trim();
  const isOther =
    /^\S+$/.test(entered) && !isChosen(entered) && !models.some(({ id }) => id === entered);
  const addOther = () => {
    onChange([...chosen, { id: entered, context_limit: '' }]);
    setSearch('');
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-medium">Models</legend>
      <div className="relative">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <input
          type="search"
          aria-label="Search models"
          aria-invalid={error !== undefined}
          placeholder={
            models.length === 0
              ? 'Enter a model ID'
              : `Search ${counted(models.length, 'model')}, or enter a model ID`
          }
          spellCheck={false}
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || search === '') return;
            event.preventDefault();
            if (isOther && found.length === 0) addOther();
          }}
          className={cx(INPUT, 'pl-9')}
        />
      </div>
      {error !== undefined && <p className="text-sm text-bad">{error}</p>}
      <div className="max-h-80 divide-y divide-line overflow-y-auto rounded-xl border border-line empty:hidden">
        {found.slice(0, SHOWN).map((model) => (
          <ModelOption
            key={model.id}
            model={model}
            checked={isChosen(model.id)}
            onChange={(on) => toggle(model, on)}
          />
        ))}
        {isOther && (
          <div className="px-2 py-2">
            <Button size="small" kind="quiet" onClick={addOther}>
              <Plus aria-hidden className="size-4" />
              <span className="truncate">Use model ID “{entered}”</span>
            </Button>
          </div>
        )}
      </div>
      <p role="status" className="text-sm text-muted">
        {found.length > SHOWN && `${found.length - SHOWN} more. Search to see them. `}
        {chosen.length > 0 && `${counted(chosen.length, 'model')} selected`}
      </p>
      <ChosenModels {...props} />
    </fieldset>
  );
}

function ModelOption({
  model,
  checked,
  onChange,
}: {
  readonly model: OfferedModel;
  readonly checked: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <label
      aria-label={model.name ?? model.id}
      className="flex cursor-pointer items-start gap-2.5 px-3 py-2 hover:bg-hover has-checked:bg-selected has-disabled:cursor-default has-disabled:opacity-60"
    >
      <input
        type="checkbox"
        className="mt-1 size-4 shrink-0 accent-accent"
        checked={checked || model.configured}
        disabled={model.configured}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className="font-medium break-all">{model.name ?? model.id}</span>
          {model.suggested === true && <Badge kind="info">suggested</Badge>}
          {model.configured && <Badge>added</Badge>}
        </span>
        <span className="block text-sm break-words text-muted">{factsOf(model)}</span>
      </span>
    </label>
  );
}

/** What is selected, also while the search hides it, and the limits that are not known. */
function ChosenModels({ chosen, onChange, limitError }: OfferedModelsProps) {
  if (chosen.length === 0) return null;
  return (
    <ul aria-label="Selected models" className="flex flex-wrap gap-2">
      {chosen.map((one) => (
        <li
          key={one.id}
          className="flex min-w-0 flex-col gap-1 rounded-lg border border-line bg-surface py-0.5 pr-1 pl-2.5"
        >
          <span className="flex min-w-0 items-center gap-1">
            <span className="min-w-0 truncate">{nameOf(one)}</span>
            <IconButton
              label={`Remove ${nameOf(one)}`}
              size="small"
              onClick={() => onChange(chosen.filter(({ id }) => id !== one.id))}
            >
              <X />
            </IconButton>
          </span>
          {needsLimit(one) && (
            <span className="pr-1.5 pb-1.5">
              <input
                aria-label={`Context limit of ${nameOf(one)}`}
                aria-invalid={limitError(one.id) !== undefined}
                placeholder="Context limit in tokens"
                inputMode="decimal"
                autoComplete="off"
                value={one.context_limit}
                onChange={({ target }) =>
                  onChange(
                    chosen.map((other) =>
                      other.id === one.id ? { ...other, context_limit: target.value } : other,
                    ),
                  )
                }
                className={INPUT}
              />
              {limitError(one.id) !== undefined && (
                <span className="block text-sm text-bad">{limitError(one.id)}</span>
              )}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function factsOf(model: OfferedModel): string {
  const { id, name, context_limit, price, reasoning, vision, note } = model;
  const facts = [
    name === undefined || name === id ? undefined : id,
    context_limit === undefined ? undefined : `${tokenCount(context_limit)} tokens of context`,
    price === undefined
      ? undefined
      : `${priceText(price.input)} in, ${priceText(price.output)} out per million`,
    reasoning === true ? 'reasons' : undefined,
    vision === true ? 'sees images' : undefined,
    note,
  ];
  const description = facts.filter((fact) => fact !== undefined).join(' · ');
  return description === '' ? 'No details available' : description;
}
