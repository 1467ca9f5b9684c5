import { type Page, reasonNotRun } from './page.ts';

export interface Tallied {
  readonly page: string;
  readonly line: number;
  /** Why the block is not run; undefined if it is. */
  readonly reason: string | undefined;
}

/** All blocks of commands, and whether they run. */
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

/** A summary of run and skipped blocks, with the reasons. */
export function tallyLine(all: readonly Tallied[]): string {
  const reasons = Map.groupBy(all, ({ reason }) => reason);
  const run = reasons.get(undefined)?.length ?? 0;
  const others = [...reasons]
    .filter(([reason]) => reason !== undefined)
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, blocks]) => `${blocks.length} × ${reason}`);
  return `${run} command blocks run, ${all.length - run} skipped${others.length === 0 ? '' : ': '}${others.join('; ')}`;
}
