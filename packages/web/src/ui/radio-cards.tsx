import { type ReactNode, useId } from 'react';
import { cx } from './class-names.ts';

export interface RadioCard<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly help?: ReactNode;
  readonly icon?: ReactNode;
}

/** Radio buttons with a description each. */
export function RadioCards<T extends string>({
  legend,
  hideLegend = false,
  value,
  onChange,
  cards,
  columns = 'sm:grid-cols-3',
}: {
  readonly legend: string;
  readonly hideLegend?: boolean;
  readonly value: T | undefined;
  readonly onChange: (value: T) => void;
  readonly cards: readonly RadioCard<T>[];
  /** Class names of the grid columns. */
  readonly columns?: string;
}) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className={cx('mb-1 font-medium', hideLegend && 'sr-only')}>{legend}</legend>
      <div className={cx('grid gap-2', columns)}>
        {cards.map((card) => (
          <label
            key={card.value}
            className="flex cursor-pointer items-start gap-2.5 rounded-xl border border-line px-3 py-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name={name}
              value={card.value}
              checked={card.value === value}
              onChange={() => onChange(card.value)}
              className="mt-1 accent-accent outline-none"
            />
            {card.icon !== undefined && (
              <span aria-hidden className="mt-0.5 text-muted [&_svg]:size-5">
                {card.icon}
              </span>
            )}
            <span className="min-w-0">
              <span className="block font-medium">{card.label}</span>
              {card.help !== undefined && (
                <span className="block text-sm text-muted">{card.help}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
