import { useState } from 'react';
import { cx } from '../ui/class-names.ts';

/** A drop target above the list that stays visible while the list is scrolled. */
export function PinZone({
  unpins,
  onDrop,
}: {
  readonly unpins: boolean;
  readonly onDrop: () => void;
}) {
  const [over, setOver] = useState(false);
  return (
    <div
      role="presentation"
      className={cx(
        'absolute inset-x-2 -top-11 z-20 flex h-10 items-center justify-center rounded-lg border-2 border-dashed border-accent bg-backdrop text-sm font-medium',
        over && 'bg-selected',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        onDrop();
      }}
    >
      {unpins ? 'Drop here to unpin' : 'Drop here to pin'}
    </div>
  );
}
