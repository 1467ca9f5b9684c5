import type { BusKind } from './deployment/deployment.ts';
import type { Outcome, Row } from './row.ts';

/** What happened, as a table in Markdown. */
export function printTable(
  results: readonly { row: Row; bus: BusKind; outcome: Outcome }[],
  about: string,
): void {
  const lines = results.map(({ row, bus, outcome }) => {
    const { figure, problems, skipped } = outcome;
    if (skipped !== undefined) return `| ${row.name} | ${bus} | ${skipped} | skipped |`;
    const held = problems.length === 0 ? 'held' : `**${problems.length} did not hold**`;
    return `| ${row.name} | ${bus} | ${figure} | ${held} |`;
  });
  console.log(`\n${about}\n`);
  console.log('| fault | bus | figure | |\n| --- | --- | --- | --- |');
  console.log(lines.join('\n'));
}
