import { type Page, reasonNotRun } from './page.ts';

export interface Tallied {
  readonly page: string;
  readonly line: number;
  /** Why it is not run; undefined when it is. */
  readonly reason: string | undefined;
}

/** Every block of commands, and whether it is run. */
export function tally(pages: readonly Page[]): Tallied[] {
  return pages.flatMap((page) =>
    page.blocks
      .filter(({ language }) => language === 'sh')
      .map((block) => ({
        page: page.file,
        line: block.line,
        reason: reasonNotRun(page, block),
      })),
  );
}

/** In one line: how many are run, and for which reasons the others are not. */
export function tallyLine(all: readonly Tallied[]): string {
  const reasons = Map.groupBy(all, ({ reason }) => reason);
  const run = reasons.get(undefined)?.length ?? 0;
  const others = [...reasons]
    .filter(([reason]) => reason !== undefined)
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, blocks]) => `${blocks.length} × ${reason}`);
  return `${run} blocks of commands are run, ${all.length - run} are not${others.length === 0 ? '' : ': '}${others.join('; ')}`;
}
