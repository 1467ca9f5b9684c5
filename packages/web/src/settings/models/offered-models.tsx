import type { OfferedModel } from '@chatd/protocol';
import { useId, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { INPUT } from '../../ui/field.tsx';
import { price as priceText, tokenCount } from '../../format/money.ts';

/** Use the search to find others. */
const SHOWN = 100;

/** Radio list of a provider's models. Known models come first. */
export function OfferedModels({
  models,
  chosen,
  onChoose,
}: {
  readonly models: readonly OfferedModel[];
  readonly chosen: string;
  readonly onChoose: (model: OfferedModel) => void;
}) {
  const name = useId();
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/);
  const found = models
    .filter(({ id, name: called = '' }) => {
      const text = `${id} ${called}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .toSorted((a, b) => Number(b.price !== undefined) - Number(a.price !== undefined));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Available models</legend>
      <input
        type="search"
        aria-label="Search models"
        placeholder={`Search ${models.length} models`}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className={INPUT}
      />
      <div className="max-h-80 divide-y divide-line overflow-y-auto rounded-xl border border-line">
        {found.slice(0, SHOWN).map((model) => (
          <label
            key={model.id}
            htmlFor={`${name}-${model.id}`}
            aria-label={model.name ?? model.id}
            className="flex cursor-pointer items-start gap-2.5 px-3 py-2 hover:bg-hover has-checked:bg-selected"
          >
            <input
              type="radio"
              id={`${name}-${model.id}`}
              name={name}
              className="mt-1 accent-accent"
              checked={model.id === chosen}
              onChange={() => onChoose(model)}
            />
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-center gap-x-2">
                <span className="font-medium break-all">{model.name ?? model.id}</span>
                {model.configured && <Badge>configured</Badge>}
              </span>
              <span className="block text-sm break-words text-muted">{factsOf(model)}</span>
            </span>
          </label>
        ))}
        {found.length === 0 && (
          <p className="px-3 py-4 text-muted">
            No matching models. You can enter any model id below.
          </p>
        )}
      </div>
      <p role="status" className="sr-only">
        {found.length} models
      </p>
      {found.length > SHOWN && (
        <p className="text-sm text-muted">{found.length - SHOWN} more. Search to see them.</p>
      )}
    </fieldset>
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
