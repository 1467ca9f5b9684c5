import type { ComponentProps, ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Hint } from './hint.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'title'> {
  /** The accessible name, also shown as a tooltip. */
  readonly label: string;
  readonly keys?: string;
  readonly children: ReactNode;
  readonly size?: 'small' | 'medium';
}

export function IconButton({ label, keys, size = 'medium', className, ...props }: IconButtonProps) {
  return (
    <Hint text={label} {...(keys !== undefined && { keys })}>
      <button
        type="button"
        aria-label={label}
        {...props}
        className={cx(
          'inline-flex shrink-0 items-center justify-center rounded-lg text-muted transition-colors hover:bg-hover hover:text-text disabled:opacity-50 aria-pressed:bg-selected aria-pressed:text-text [&_svg]:size-4',
          size === 'small' ? 'size-7' : 'size-9',
          className,
        )}
      />
    </Hint>
  );
}
