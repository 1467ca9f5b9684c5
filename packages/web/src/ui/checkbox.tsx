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
    <div className="flex items-start gap-2 pointer-coarse:min-h-11 pointer-coarse:items-center">
      <input
        {...props}
        id={id}
        type="checkbox"
        {...(help !== undefined && { 'aria-describedby': `${id}-about` })}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-1 size-4 shrink-0 accent-accent pointer-coarse:mt-0 pointer-coarse:size-5"
      />
      <div className="min-w-0 flex-1">
        <label
          htmlFor={id}
          className="pointer-coarse:flex pointer-coarse:min-h-11 pointer-coarse:items-center"
        >
          {label}
        </label>
        {help !== undefined && (
          <p id={`${id}-about`} className="text-sm text-muted">
            {help}
          </p>
        )}
      </div>
    </div>
  );
}
