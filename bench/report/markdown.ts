import type { Result } from './result.ts';

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

/** A Markdown table. A heading that starts with `>` right-aligns its column. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [
    line(headings.map((heading) => heading.replace(/^>\s*/, ''))),
    line(headings.map((heading) => (heading.startsWith('>') ? '---:' : '---'))),
    ...rows.map(line),
  ].join('\n');
}

/** `12,345.6` with a fixed number of decimals; a dash for a missing value. */
export function formatNumber(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The line under a table: date, machine, versions and command. */
function provenance({ command, day, machine }: Result<unknown>): string {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const processor = machine.processor.replaceAll(/\((?:R|TM)\)/g, '');
  return [
    `<sub>${day} · ${machine.cores} × ${processor}, ${machine.memoryGb} GB, load average ${machine.load}`,
    `Node ${machine.node}${versions.map((version) => `, ${version}`).join('')}`,
    `reproduce with \`${command}\`</sub>`,
  ].join(' · ');
}

export function withProvenance(result: Result<unknown>, ...blocks: readonly string[]): string {
  return [...blocks, provenance(result)].join('\n\n');
}

/** `0.82 to 1.23`, or a single number if both ends are equal. */
export function range(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) =>
    formatNumber(value, digits),
  );
  return low === high ? `${low}` : `${low} to ${high}`;
}

export function overRounds(rounds: number): string {
  return rounds === 1 ? 'one round' : `medians of ${rounds} rounds`;
}
