import { createHash } from 'node:crypto';

const MAX_LENGTH = 64;
const MARK_LENGTH = 8;

/**
 * `server__tool`, valid for every provider. A name that is too long, or that is ambiguous after replacing characters,
 * ends with a hash of the original name: it is the same in every turn, whatever other tools exist.
 */
export function toolNames(server: string, tools: readonly string[]): Map<string, string> {
  const names = tools.map((tool) => {
    const whole = `${server}__${tool}`;
    return { tool, whole, legal: whole.replaceAll(/[^a-zA-Z0-9_-]/g, '_') };
  });
  const alike = Map.groupBy(names, ({ legal }) => legal);
  return new Map(
    names.map(({ tool, whole, legal }) => {
      const isOwn = whole === legal || alike.get(legal)?.length === 1;
      return [tool, isOwn && legal.length <= MAX_LENGTH ? legal : marked(legal, tool)];
    }),
  );
}

function marked(legal: string, tool: string): string {
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, MARK_LENGTH);
  return `${legal.slice(0, MAX_LENGTH - MARK_LENGTH - 1)}_${mark}`;
}
