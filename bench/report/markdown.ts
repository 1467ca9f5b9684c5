import type { Result } from './result.ts';

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

/** `| a | b |` with a ruler; a column is aligned to the right when its heading begins with `>`. */
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

/** `12,345.6`, with as many digits behind the point as asked for; a dash for what was not measured. */
export function formatNumber(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Where, when and by what a table was taken: it stands under each of them. */
function provenance({ command, day, machine }: Result<unknown>): string {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  const processor = machine.processor.replaceAll(/\((?:R|TM)\)/g, '');
  return [
    `<sub>${day} · ${machine.cores} × ${processor}, ${machine.memoryGb} GB, load ${machine.load} at the end`,
    `Node ${machine.node}${versions.map((version) => `, ${version}`).join('')}`,
    `repeat with \`${command}\`</sub>`,
  ].join(' · ');
}

/** A table, and under it where it comes from. */
export function withProvenance(result: Result<unknown>, ...blocks: readonly string[]): string {
  return [...blocks, provenance(result)].join('\n\n');
}

/** `0.82 to 1.23`, or a single figure where both ends are the same. */
export function range(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) =>
    formatNumber(value, digits),
  );
  return low === high ? `${low}` : `${low} to ${high}`;
}

export function overRounds(rounds: number): string {
  return rounds === 1 ? 'one round' : `medians of ${rounds} rounds`;
}
