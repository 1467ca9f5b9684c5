import { Cell, useCell } from '../state/cell.ts';

const latest = new Cell({ text: '', count: 0 });

/** A message for screen readers. */
export const announce = (text: string): void =>
  latest.update(({ count }) => ({ text, count: count + 1 }));

export function Announcements() {
  const { text, count } = useCell(latest);
  return (
    <p aria-live="polite" className="sr-only">
      {/* Repeated messages are announced again. */}
      {count % 2 === 0 ? text : `${text}\u00A0`}
    </p>
  );
}
