import type { BusKind } from './deployment/deployment.ts';
import type { Outcome, Row } from './row.ts';

export const hasHeld = ({ problems, late = [] }: Outcome): boolean =>
  problems.length === 0 && late.length === 0;

/** What happened, as a table in Markdown. */
export function printTable(
  results: readonly { row: Row; bus: BusKind; outcome: Outcome }[],
  about: string,
): void {
  const lines = results.map(({ row, bus, outcome }) => {
    const { figure, problems, late = [], skipped } = outcome;
    if (skipped !== undefined) return `| ${row.name} | ${bus} | ${skipped} | skipped |`;
    const wrong = problems.length === 0 ? [] : [`**${problems.length} did not hold**`];
    const slow = late.length === 0 ? [] : [`**too late: ${late.join('; ')}**`];
    const held = hasHeld(outcome) ? 'held' : [...wrong, ...slow].join(', ');
    return `| ${row.name} | ${bus} | ${figure} | ${held} |`;
  });
  console.log(`\n${about}\n`);
  console.log('| fault | bus | figure | |\n| --- | --- | --- | --- |');
  console.log(lines.join('\n'));
}
