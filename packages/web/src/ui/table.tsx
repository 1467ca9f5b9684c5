import type { ComponentProps, ReactNode } from 'react';
import { cx } from './class-names.ts';

/** A table that scrolls horizontally, also by keyboard. */
export function Table({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys scroll the focused element
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line"
    >
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{label}</caption>
        {children}
      </table>
    </div>
  );
}

export const HeaderCell = ({ className, ...props }: ComponentProps<'th'>) => (
  <th
    scope="col"
    {...props}
    className={cx('bg-surface px-3 py-2 text-sm font-medium whitespace-nowrap', className)}
  />
);

export const TableCell = ({ className, ...props }: ComponentProps<'td'>) => (
  <td {...props} className={cx('border-t border-line px-3 py-2', className)} />
);

/** The row header. */
export const NameCell = ({ className, ...props }: ComponentProps<'th'>) => (
  <th
    scope="row"
    {...props}
    className={cx('border-t border-line px-3 py-2 text-left font-medium', className)}
  />
);
