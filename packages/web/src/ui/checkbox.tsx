import { type ComponentProps, type ReactNode, useId } from 'react';

export function Checkbox({
  label,
  help,
  onChange,
  ...props
}: Omit<ComponentProps<'input'>, 'type' | 'onChange'> & {
  readonly label: ReactNode;
  readonly help?: ReactNode;
  readonly onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        {...props}
        id={id}
        type="checkbox"
        {...(help !== undefined && { 'aria-describedby': `${id}-about` })}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <p id={`${id}-about`} className="text-sm text-muted">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}
