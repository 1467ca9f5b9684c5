import type { ComponentProps } from 'react';

interface ActionProps extends Omit<ComponentProps<'button'>, 'className' | 'type'> {
  readonly label: string;
  readonly pressed?: boolean;
}

/** A small inline button. It has no tooltip of its own, because many of them render while scrolling. */
export function Action({ label, pressed, children, ...button }: ActionProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      {...button}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text disabled:opacity-40 disabled:hover:bg-transparent aria-pressed:bg-selected aria-pressed:text-text pointer-coarse:size-9 [&_svg]:size-4"
    >
      {children}
    </button>
  );
}
