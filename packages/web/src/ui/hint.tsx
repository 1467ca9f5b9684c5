import { Tooltip } from 'radix-ui';
import type { FocusEvent, ReactNode } from 'react';
import { Keys } from './keys.tsx';

/** Touch screens show no tooltips: they would open on focus and cover what is below. */
const HOVERS = matchMedia('(any-hover: hover)').matches;

/** A tooltip, for the pointer and for keyboard focus. */
export function Hint({
  text,
  keys,
  children,
}: {
  readonly text: string;
  readonly keys?: string;
  readonly children: ReactNode;
}) {
  if (!HOVERS) return children;
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild onFocus={keyboardOnly}>
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="pop z-50 flex max-w-xs items-center gap-2 rounded-md bg-text px-2 py-1 text-sm text-background shadow-pop"
        >
          {text}
          {keys !== undefined && <Keys keys={keys} />}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

/** No tooltip when a click moves the focus, for example into a drawer. */
function keyboardOnly(event: FocusEvent): void {
  if (!event.currentTarget.matches(':focus-visible')) event.preventDefault();
}
