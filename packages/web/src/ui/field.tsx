import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './class-names.ts';

export const INPUT =
  'w-full rounded-lg border border-line-strong bg-background px-3 py-1.5 placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad';

interface FieldFrameProps {
  readonly label: string;
  /** Help text below the control. */
  readonly help?: ReactNode;
  readonly error?: string | undefined;
}

/** A label, a control, help and error, associated for screen readers. */
export function Field({
  label,
  help,
  error,
  children,
}: FieldFrameProps & {
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string;
    readonly 'aria-invalid': boolean;
  }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': error !== undefined })}
      <div id={`${id}-about`} className="text-sm">
        {error !== undefined && <p className="text-bad">{error}</p>}
        {help !== undefined && <div className="text-muted">{help}</div>}
      </div>
    </div>
  );
}

export function TextField({
  label,
  help,
  error,
  className,
  ...input
}: FieldFrameProps & ComponentProps<'input'>) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => <input {...input} {...control} className={cx(INPUT, className)} />}
    </Field>
  );
}
