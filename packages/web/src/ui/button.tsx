import type { ComponentProps } from 'react';
import { cx } from './class-names.ts';

const KINDS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  plain: 'border border-line bg-raised hover:border-line-strong/60 hover:bg-hover',
  quiet: 'hover:bg-hover',
  danger: 'border border-bad/40 bg-bad-surface text-bad hover:border-bad',
};
const SIZES = {
  small: 'h-7 px-2 text-sm pointer-coarse:px-3.5',
  medium: 'h-9 px-3.5',
  large: 'h-11 px-5',
};

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: keyof typeof KINDS;
  readonly size?: keyof typeof SIZES;
}

export function Button({ kind = 'plain', size = 'medium', className, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={cx(
        'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-50',
        KINDS[kind],
        SIZES[size],
        className,
      )}
    />
  );
}
