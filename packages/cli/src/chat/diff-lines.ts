import type { WorkspaceDiff } from '@chatd/protocol';
import type { Format } from '../output/style.ts';
import { cutTo } from '../output/table.ts';
import { terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';

/** What changed, as git shows it. */
export function diffLines({ repositories }: WorkspaceDiff, page: Page): string[] {
  const { style, width } = page;
  const changed = repositories.filter(({ files }) => files.length > 0);
  if (changed.length === 0) return [style('dim', 'Nothing has changed.')];
  return changed.flatMap(({ path, patch, patch_cut, more_files }) => [
    style('bold', path === '' ? '.' : terminalText(path)),
    ...terminalText(patch)
      .trimEnd()
      .split('\n')
      .map((line) => {
        const text = cutTo(line.replaceAll('\t', '    '), width);
        const look = lookOf(line);
        return look === undefined ? text : style(look, text);
      }),
    ...(patch_cut || more_files ? [style('dim', '… there is more than is shown')] : []),
  ]);
}

function lookOf(line: string): Format | undefined {
  if (/^(diff|index|---|\+\+\+)/.test(line)) return 'dim';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}
