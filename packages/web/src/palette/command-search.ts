import { type Command, COMMAND_GROUPS } from '../state/commands.ts';

export type CommandGroup = readonly [Command['group'], readonly Command[]];

/** Commands that match every word, grouped, best match first. An empty search matches all. */
export function findCommands(offered: readonly Command[], text: string): readonly CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = offered
    .map((command) => ({ command, score: scoreOf(command, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  return COMMAND_GROUPS.map((group) => scored.filter(({ command }) => command.group === group))
    .filter((members) => members.length > 0)
    .sort((a, b) => (b[0]?.score ?? 0) - (a[0]?.score ?? 0))
    .flatMap((members): CommandGroup[] => {
      const [first] = members;
      return first ? [[first.command.group, members.map(({ command }) => command)]] : [];
    });
}

/** 0 means no match. The start of a word scores higher than its middle; the title scores higher than other words. */
function scoreOf({ title, words: others = '' }: Command, wanted: readonly string[]): number {
  const named = title.toLowerCase();
  const scores = wanted.map((word) => {
    if (named.startsWith(word)) return 4;
    if (` ${named}`.includes(` ${word}`)) return 3;
    if (` ${others.toLowerCase()}`.includes(` ${word}`)) return 2;
    return named.includes(word) ? 1 : 0;
  });
  if (scores.includes(0)) return 0;
  return 1 + scores.reduce<number>((sum, score) => sum + score, 0);
}
