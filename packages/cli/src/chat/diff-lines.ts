import type { WorkspaceDiff } from '@chatd/protocol';
import type { Format } from '../output/style.ts';
import { truncate } from '../output/table.ts';
import { terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';

/** Workspace changes in the colors of git. */
export function diffLines({ repositories }: WorkspaceDiff, page: Page): string[] {
  const { style, width } = page;
  const changed = repositories.filter(({ files }) => files.length > 0);
  if (changed.length === 0) return [style('dim', 'No changes.')];
  return changed.flatMap(({ path, patch, patch_cut, more_files }) => [
    style('bold', path === '' ? '.' : terminalText(path)),
    ...terminalText(patch)
      .trimEnd()
      .split('\n')
      .map((line) => {
        const text = truncate(line.replaceAll('\t', '    '), width);
        const color = colorOf(line);
        return color === undefined ? text : style(color, text);
      }),
    ...(patch_cut || more_files ? [style('dim', '… truncated')] : []),
  ]);
}

function colorOf(line: string): Format | undefined {
  if (/^(diff|index|---|\+\+\+)/.test(line)) return 'dim';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}
