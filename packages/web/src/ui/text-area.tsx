import type { ComponentProps, ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Field, INPUT } from './field.tsx';

export function TextAreaField({
  label,
  help,
  error,
  className,
  code = false,
  ...props
}: ComponentProps<'textarea'> & {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
  /** Machine-readable input: monospace and without spell checking. */
  readonly code?: boolean;
}) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <textarea
          rows={4}
          {...props}
          {...control}
          {...(code && { spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' })}
          className={cx(INPUT, 'resize-y', code && 'font-mono text-sm', className)}
        />
      )}
    </Field>
  );
}
