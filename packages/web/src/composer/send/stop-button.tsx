import { Square } from 'lucide-react';
import { cx } from '../../ui/class-names.ts';
import { Hint } from '../../ui/hint.tsx';
import type { Stopping } from './use-stop.ts';

export function StopButton({ stopping }: { readonly stopping: Stopping }) {
  const { possible, under, armed, stop } = stopping;
  if (!possible && !under) return null;
  const text = under
    ? 'Stopping the turn. Its results are kept.'
    : 'Stop the turn and keep its results (or press Esc twice)';
  return (
    <Hint text={text}>
      <button
        type="button"
        aria-label={under ? 'Stopping' : 'Stop'}
        aria-disabled={under}
        className={cx(
          'flex size-9 shrink-0 items-center justify-center rounded-full border border-line-strong/60 transition-colors hover:border-bad hover:bg-bad-surface hover:text-bad aria-disabled:opacity-60 pointer-coarse:size-11',
          armed && 'border-bad bg-bad-surface text-bad',
        )}
        onClick={() => {
          if (!under) void stop();
        }}
      >
        <Square
          aria-hidden
          className={cx('size-3.5 fill-current', under && 'motion-safe:animate-pulse')}
        />
      </button>
    </Hint>
  );
}
