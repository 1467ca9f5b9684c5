import { Cell, useCell } from '../state/cell.ts';

const latest = new Cell({ text: '', count: 0 });

/** Says something to those who do not see the screen. */
export const announce = (text: string): void =>
  latest.update(({ count }) => ({ text, count: count + 1 }));

export function Announcements() {
  const { text, count } = useCell(latest);
  return (
    <p aria-live="polite" className="sr-only">
      {/* The same words twice are two announcements. */}
      {count % 2 === 0 ? text : `${text}\u00A0`}
    </p>
  );
}
