/** A range of characters in a file. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type TextMatch =
  | { readonly ranges: readonly [TextRange, ...TextRange[]]; readonly exact: boolean }
  | { readonly ranges: readonly []; readonly nearest: readonly Candidate[] };

export interface Candidate {
  /** Starts at 1. */
  readonly line: number;
  readonly text: string;
}

/** All occurrences of `old`: exact ones, otherwise those that differ only in whitespace. */
export function findText(file: string, old: string, replacement: string): TextMatch {
  const ending = file.includes('\r\n') ? '\r\n' : '\n';
  const adapted = (text: string) => (ending === '\n' ? text : text.replaceAll(/\r?\n/g, ending));
  const exact = exactPlaces(file, adapted(old), adapted(replacement));
  if (isFilled(exact)) return { ranges: exact, exact: true };
  const lines = linesOf(file);
  const tolerant = tolerantPlaces(lines, old, replacement, ending);
  if (isFilled(tolerant)) return { ranges: tolerant, exact: false };
  return { ranges: [], nearest: nearest(lines, old) };
}

const isFilled = (ranges: readonly TextRange[]): ranges is readonly [TextRange, ...TextRange[]] =>
  ranges.length > 0;

function exactPlaces(file: string, old: string, text: string): TextRange[] {
  const ranges: TextRange[] = [];
  for (let at = file.indexOf(old); at >= 0; at = file.indexOf(old, at + old.length)) {
    ranges.push({ start: at, end: at + old.length, text });
  }
  return ranges;
}

interface Line {
  readonly start: number;
  /** Position after the line break. */
  readonly next: number;
  readonly text: string;
}

function linesOf(file: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < file.length;) {
    const at = file.indexOf('\n', start);
    const next = at < 0 ? file.length : at + 1;
    lines.push({
      start,
      next,
      text: file.slice(start, at < 0 ? file.length : at).replace(/\r$/, ''),
    });
    start = next;
  }
  return lines;
}

const squeezed = (line: string) => line.trim().replaceAll(/\s+/g, ' ');
const indentOf = (line: string) => /^\s*/.exec(line)?.[0] ?? '';

/** Compares whole lines without whitespace. The replacement takes the indentation of the original. */
function tolerantPlaces(
  lines: readonly Line[],
  old: string,
  replacement: string,
  ending: string,
): TextRange[] {
  const wanted = bodyLines(old);
  const keys = wanted.map(squeezed);
  if (keys.every((key) => key === '')) return [];
  const have = lines.map(({ text }) => squeezed(text));
  const ranges: TextRange[] = [];
  for (let at = 0; at + keys.length <= have.length; at++) {
    if (!keys.every((key, index) => have[at + index] === key)) continue;
    const first = lines[at];
    const last = lines[at + keys.length - 1];
    if (first === undefined || last === undefined) continue;
    const text = reindented(
      replacement === '' ? [] : bodyLines(replacement),
      indentOf(wanted.find((line) => line.trim() !== '') ?? ''),
      indentOf(lines.slice(at).find(({ text: line }) => line.trim() !== '')?.text ?? ''),
    );
    const hasBreak = last.next > last.start + last.text.length;
    const body = text.join(ending);
    const isGone = text.length === 0;
    ranges.push({
      start: first.start,
      end: last.next,
      text: isGone ? '' : body + (hasBreak ? ending : ''),
    });
    at += keys.length - 1;
  }
  return ranges;
}

/** Without the final line break. */
const bodyLines = (text: string) => text.replace(/\r?\n$/, '').split(/\r?\n/);

function reindented(lines: readonly string[], from: string, to: string): string[] {
  return lines.map((line) => (line.startsWith(from) ? to + line.slice(from.length) : line));
}

const MAX_CANDIDATES = 3;
const LEAST_LIKENESS = 0.4;

function nearest(lines: readonly Line[], old: string): Candidate[] {
  const wanted = bodyLines(old).map(squeezed);
  const size = wanted.length;
  const pairs = wanted.map(pairsOf);
  const have = lines.map(({ text }) => pairsOf(squeezed(text)));
  const scored = lines.map((_, at) => {
    let score = 0;
    for (const [index, one] of pairs.entries()) score += likeness(one, have[at + index]);
    return { at, score: score / size };
  });
  const best = scored
    .filter(({ score }) => score >= LEAST_LIKENESS)
    .sort((a, b) => b.score - a.score);
  const chosen: number[] = [];
  for (const { at } of best) {
    if (chosen.length >= MAX_CANDIDATES) break;
    if (chosen.every((other) => Math.abs(other - at) >= size)) chosen.push(at);
  }
  return chosen.map((at) => ({
    line: at + 1,
    text: lines
      .slice(at, at + size)
      .map(({ text }) => text)
      .join('\n'),
  }));
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const short = text.slice(0, 200);
  for (let at = 0; at + 2 <= short.length; at++) {
    const pair = short.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function likeness(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number> | undefined,
): number {
  if (b === undefined) return 0;
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0;
  let shared = 0;
  let all = 0;
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    all += count;
  }
  for (const count of b.values()) all += count;
  return (2 * shared) / all;
}
