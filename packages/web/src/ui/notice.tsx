import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

const KINDS = {
  info: ['bg-info-surface', 'text-info', Info],
  good: ['bg-good-surface', 'text-good', CircleCheck],
  warn: ['bg-warn-surface', 'text-warn', TriangleAlert],
  bad: ['bg-bad-surface', 'text-bad', CircleAlert],
} as const;

/** `live`: appears in response to an action and is announced. */
export function Notice({
  kind = 'info',
  live = false,
  title,
  children,
  className,
}: {
  readonly kind?: keyof typeof KINDS;
  readonly live?: boolean;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly className?: string;
}) {
  const [surface, color, Icon] = KINDS[kind];
  return (
    <div
      {...(live && { role: kind === 'bad' ? 'alert' : 'status' })}
      className={cx('flex gap-2.5 rounded-lg px-3 py-2', surface, className)}
    >
      <Icon aria-hidden className={cx('mt-1 size-4 shrink-0', color)} />
      <div className="min-w-0 flex-1 break-words">
        {title !== undefined && <p className={cx('font-medium', color)}>{title}</p>}
        {children}
      </div>
    </div>
  );
}
