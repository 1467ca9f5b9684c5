import { createHash } from 'node:crypto';

const LONGEST = 64;
const MARK_LENGTH = 8;

/**
 * `server__tool`, legal with every provider. A name that had to be changed and thereby became another one's, or that
 * is too long, ends in a mark of what it was: it is the same in every turn, whatever other tools there are.
 */
export function toolNames(server: string, tools: readonly string[]): Map<string, string> {
  const plain = new Set(tools.map((tool) => `${server}__${tool}`).filter(isLegal));
  return new Map(
    tools.map((tool) => {
      const whole = `${server}__${tool}`;
      if (plain.has(whole)) return [tool, whole];
      const legal = whole.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
      const fits = legal.length <= LONGEST && isOnlyOne(legal, server, tools);
      return [tool, fits ? legal : marked(legal, tool)];
    }),
  );
}

const isLegal = (name: string) => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name);

const isOnlyOne = (legal: string, server: string, tools: readonly string[]) =>
  tools.filter((tool) => `${server}__${tool}`.replaceAll(/[^a-zA-Z0-9_-]/g, '_') === legal)
    .length === 1;

function marked(legal: string, tool: string): string {
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, MARK_LENGTH);
  return `${legal.slice(0, LONGEST - MARK_LENGTH - 1)}_${mark}`;
}
