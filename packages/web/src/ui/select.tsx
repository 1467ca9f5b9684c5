import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Field, INPUT } from './field.tsx';

/** The native select works with every keyboard, screen reader and phone. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return (
    <span className={cx('relative inline-flex w-full', className)}>
      <select {...props} className={cx(INPUT, 'appearance-none truncate pr-9')} />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-muted"
      />
    </span>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function SelectField({
  label,
  help,
  error,
  choices,
  ...props
}: ComponentProps<'select'> & {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
  readonly choices: readonly Choice[];
}) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <Select {...props} {...control}>
          {choices.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
