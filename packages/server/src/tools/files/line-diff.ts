/** A unified diff of two texts, with three lines around each change; empty when they are the same. */
export function lineDiff(path: string, before: string | undefined, after: string): string {
  const old = linesOf(before ?? '');
  const now = linesOf(after);
  const changes = hunks(script(old, now));
  if (changes.length === 0) return '';
  const head = `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ b/${path}\n`;
  return head + changes.map(hunkText).join('');
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

interface Step {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

const same = (line: string): Step => ({ kind: ' ', line });

/** More differences than this are shown as one replacement: finding the fewest would take too long. */
const MOST_DIFFERENCES = 300;

/** The steps from one to the other: what both begin and end with, and between that the fewest (Myers). */
function script(old: readonly string[], now: readonly string[]): Step[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end += 1;
  }
  return [
    ...old.slice(0, start).map(same),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

function middle(old: readonly string[], now: readonly string[]): Step[] {
  const replaced: Step[] = [
    ...old.map((line): Step => ({ kind: '-', line })),
    ...now.map((line): Step => ({ kind: '+', line })),
  ];
  if (old.length === 0 || now.length === 0) return replaced;
  const trace = forward(old, now);
  return trace === undefined ? replaced : backward(old, now, trace);
}

/** For each number of differences, how far each diagonal got. */
function forward(
  old: readonly string[],
  now: readonly string[],
): Map<number, number>[] | undefined {
  const most = Math.min(old.length + now.length, MOST_DIFFERENCES);
  const trace: Map<number, number>[] = [];
  const reach = new Map<number, number>([[1, 0]]);
  for (let count = 0; count <= most; count++) {
    trace.push(new Map(reach));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = furthest(reach, diagonal, count);
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return trace;
    }
  }
  return undefined;
}

const isDown = (reach: ReadonlyMap<number, number>, diagonal: number, count: number) =>
  diagonal === -count ||
  (diagonal !== count && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));

const furthest = (reach: ReadonlyMap<number, number>, diagonal: number, count: number) =>
  isDown(reach, diagonal, count)
    ? (reach.get(diagonal + 1) ?? 0)
    : (reach.get(diagonal - 1) ?? 0) + 1;

function backward(
  old: readonly string[],
  now: readonly string[],
  trace: readonly ReadonlyMap<number, number>[],
): Step[] {
  const steps: Step[] = [];
  let x = old.length;
  let y = now.length;
  for (let count = trace.length - 1; count >= 0; count--) {
    const reach = trace[count] ?? new Map<number, number>();
    const down = isDown(reach, x - y, count);
    const from = x - y + (down ? 1 : -1);
    const fromX = reach.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      steps.push({ kind: ' ', line: old[x] ?? '' });
    }
    if (count === 0) break;
    if (down) steps.push({ kind: '+', line: now[--y] ?? '' });
    else steps.push({ kind: '-', line: old[--x] ?? '' });
  }
  return steps.toReversed();
}

const AROUND = 3;

interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly steps: readonly Step[];
}

function hunks(steps: readonly Step[]): Hunk[] {
  const changed = steps.flatMap(({ kind }, index) => (kind === ' ' ? [] : [index]));
  const ranges: [from: number, to: number][] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && index - AROUND <= last[1]) last[1] = index + AROUND + 1;
    else ranges.push([Math.max(0, index - AROUND), index + AROUND + 1]);
  }
  return ranges.map(([from, to]) => {
    const before = steps.slice(0, from);
    return {
      oldStart: before.filter(({ kind }) => kind !== '+').length + 1,
      newStart: before.filter(({ kind }) => kind !== '-').length + 1,
      steps: steps.slice(from, to),
    };
  });
}

function hunkText({ oldStart, newStart, steps }: Hunk): string {
  const old = steps.filter(({ kind }) => kind !== '+').length;
  const now = steps.filter(({ kind }) => kind !== '-').length;
  const lines = steps.map(({ kind, line }) => `${kind}${line}\n`).join('');
  return `@@ -${at(oldStart, old)} +${at(newStart, now)} @@\n${lines}`;
}

const at = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
