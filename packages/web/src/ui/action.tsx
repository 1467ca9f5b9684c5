import type { ReactNode } from 'react';

/** A small inline button. It has no tooltip of its own, because many of them render while scrolling. */
export function Action({
  label,
  pressed,
  onClick,
  children,
}: {
  readonly label: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text pointer-coarse:size-9 [&_svg]:size-4"
    >
      {children}
    </button>
  );
}
