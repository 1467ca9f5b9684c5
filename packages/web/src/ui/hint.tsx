import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';
import { Keys } from './keys.tsx';

/** A tooltip. */
export function Hint({
  text,
  keys,
  children,
}: {
  readonly text: string;
  readonly keys?: string;
  readonly children: ReactNode;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-xs items-center gap-2 rounded-md bg-text px-2 py-1 text-sm text-background shadow-pop"
        >
          {text}
          {keys !== undefined && <Keys keys={keys} />}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
