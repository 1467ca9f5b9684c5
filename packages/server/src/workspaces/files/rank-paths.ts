import { setImmediate as turn } from 'node:timers/promises';

/** Paths to score before yielding to the event loop. */
const AT_ONCE = 5000;

/**
 * Fuzzy search: the paths that contain the characters of the query in order, best match first. Consecutive characters,
 * starts of words, and matches in the file name score higher.
 */
export async function rankPaths(
  paths: readonly string[],
  query: string,
  limit: number,
): Promise<string[]> {
  const wanted = query.toLowerCase().replaceAll(/\s/g, '');
  const found: { readonly path: string; readonly score: number }[] = [];
  for (const [index, path] of paths.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await turn();
    const score = scoreOf(path, wanted);
    if (score !== undefined) found.push({ path, score });
  }
  return found
    .toSorted((a, b) => b.score - a.score || a.path.length - b.path.length || order(a.path, b.path))
    .slice(0, limit)
    .map(({ path }) => path);
}

const order = (a: string, b: string) => (a < b ? -1 : 1);

const MATCH = 16;
const BEGINNING = 10;
const TOGETHER = 8;
const IN_NAME = 24;
const MAX_GAP = 10;

/** Undefined: no match. An empty query matches everything, short paths first. */
export function scoreOf(path: string, wanted: string): number | undefined {
  if (wanted === '') return 0;
  const text = path.toLowerCase();
  // The lower case of some characters is longer, so positions would differ.
  const cased = text.length === path.length ? path : text;
  const name = text.lastIndexOf('/') + 1;
  const inName = wanted.includes('/') ? undefined : within(cased, text, wanted, name);
  if (inName !== undefined) return inName + IN_NAME;
  return within(cased, text, wanted, 0);
}

/** Finds the end of the first match, then the shortest match that ends there. */
function within(path: string, text: string, wanted: string, from: number): number | undefined {
  let end = from;
  for (const character of wanted) {
    const at = text.indexOf(character, end);
    if (at === -1) return undefined;
    end = at + character.length;
  }
  let at = end;
  let before = -1;
  let score = 0;
  for (const character of Array.from(wanted).toReversed()) {
    at = text.lastIndexOf(character, at - character.length);
    score += MATCH + (isBeginning(path, at) ? BEGINNING : 0);
    if (before !== -1) {
      const gap = before - at - character.length;
      score += gap === 0 ? TOGETHER : -Math.min(gap, MAX_GAP);
    }
    before = at;
  }
  return score;
}

function isBeginning(path: string, at: number): boolean {
  const before = path[at - 1];
  if (before === undefined || /[/._\s-]/.test(before)) return true;
  return /[a-z]/.test(before) && /[A-Z]/.test(path[at] ?? '');
}
