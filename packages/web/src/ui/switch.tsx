import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './class-names.ts';

export interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange'> {
  readonly onChange: (on: boolean) => void;
}

/** Takes its name from a surrounding label or from `aria-label`. */
export function Switch({ onChange, className, ...props }: SwitchProps) {
  return (
    <input
      {...props}
      type="checkbox"
      role="switch"
      aria-checked={props.checked}
      onChange={(event) => onChange(event.target.checked)}
      className={cx(
        'relative h-5 w-9 shrink-0 appearance-none rounded-full bg-line-strong transition-colors',
        'before:absolute before:top-0.5 before:left-0.5 before:size-4 before:rounded-full before:bg-background before:transition-transform',
        'checked:bg-accent checked:before:translate-x-4 disabled:opacity-50',
        'pointer-coarse:after:absolute pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-3',
        className,
      )}
    />
  );
}

/** A switch in a row, with its label and help. */
export function SwitchField({
  label,
  help,
  error,
  ...props
}: SwitchProps & {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <Switch
        {...props}
        id={id}
        aria-describedby={`${id}-about`}
        aria-invalid={error !== undefined}
        className="mt-0.5"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <div id={`${id}-about`} className="text-sm">
          {error !== undefined && <p className="text-bad">{error}</p>}
          {help !== undefined && <div className="text-muted">{help}</div>}
        </div>
      </div>
    </div>
  );
}
