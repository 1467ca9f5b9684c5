const ANYTHING = '…';

/**
 * Whether lines that a page shows are among those that were printed, one after the other. `…` stands for anything
 * within a line; a line of it alone for any number of lines.
 */
export function printed(output: string, shown: string): boolean {
  const pattern = shown
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
    .map((line) => (line.trim() === ANYTHING ? '(?:.*\\n)*?' : `${linePattern(line)}\\n`))
    .join('');
  return new RegExp(`(?:^|\\n)${pattern}`).test(`${output}\n`);
}

function linePattern(line: string): string {
  const parts = line.split(ANYTHING).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `${parts.join('.*')}[ \\t]*`;
}
