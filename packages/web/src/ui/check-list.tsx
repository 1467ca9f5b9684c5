import { useId, useState } from 'react';
import { Checkbox } from './checkbox.tsx';
import { INPUT } from './field.tsx';

export interface CheckChoice {
  readonly value: string;
  readonly label: string;
}

/** Longer lists have a filter. */
const FILTER_FROM = 8;

/** Selects any number of choices. */
export function CheckList({
  legend,
  choices,
  values,
  onChange,
  help,
  empty,
  disabled = false,
}: {
  readonly legend: string;
  readonly choices: readonly CheckChoice[];
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly help?: string;
  /** Shown if there is nothing to choose. */
  readonly empty: string;
  readonly disabled?: boolean;
}) {
  const id = useId();
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const shown = choices.filter(({ label }) => label.toLowerCase().includes(wanted));
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...values, value] : values.filter((one) => one !== value));
  return (
    <fieldset className="flex flex-col gap-1" aria-describedby={`${id}-about`} disabled={disabled}>
      <legend className="font-medium">{legend}</legend>
      {choices.length >= FILTER_FROM && (
        <input
          type="search"
          aria-label={`Filter ${legend.toLowerCase()}`}
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          className={INPUT}
        />
      )}
      <div className="flex max-h-60 flex-col gap-1 overflow-y-auto rounded-lg border border-line px-3 py-2">
        {shown.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={values.includes(value)}
            onChange={(on) => toggle(value, on)}
          />
        ))}
        {shown.length === 0 && (
          <p className="text-muted">{choices.length === 0 ? empty : 'No match'}</p>
        )}
      </div>
      {help !== undefined && (
        <p id={`${id}-about`} className="text-sm text-muted">
          {help}
        </p>
      )}
    </fieldset>
  );
}
