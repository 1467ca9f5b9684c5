const ANYTHING = '…';

/**
 * Whether the output contains the shown lines consecutively. `…` matches any text within a line; a line with only `…`
 * matches any number of lines.
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
