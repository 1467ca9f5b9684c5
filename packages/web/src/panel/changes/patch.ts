export type LineKind = 'context' | 'added' | 'removed';

export interface PatchLine {
  readonly kind: LineKind;
  /** Old line number; undefined for added lines. */
  readonly before: number | undefined;
  /** New line number; undefined for removed lines. */
  readonly after: number | undefined;
  readonly text: string;
  /** The file ends here without a newline. */
  readonly unended?: true;
}

export interface Hunk {
  /** The text after the line numbers, usually the enclosing function. Undefined for a whole file. */
  readonly heading: string | undefined;
  readonly lines: readonly PatchLine[];
}

const FILE = /^diff --git /m;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** The hunks of each file of a `git diff`, by new path, or old path for deleted files. */
export function parsePatch(patch: string): Map<string, readonly Hunk[]> {
  const files = new Map<string, readonly Hunk[]>();
  for (const text of patch.split(FILE).slice(1)) {
    const lines = text.split('\n');
    const path = pathIn(lines);
    if (path !== undefined) files.set(path, hunksIn(lines));
  }
  return files;
}

/** From the `---` and `+++` lines; for files without hunks, from the Git headers. */
function pathIn(lines: readonly string[]): string | undefined {
  const named = (prefix: string) =>
    lines.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const after = named('+++ ');
  if (after !== undefined && after !== '/dev/null') return withoutSide(after);
  const before = named('--- ');
  if (before !== undefined && before !== '/dev/null') return withoutSide(before);
  const renamed = named('rename to ');
  if (renamed !== undefined) return unquoted(renamed);
  // `a/PATH b/PATH`: both halves are equal.
  const both = lines[0] ?? '';
  return withoutSide(both.slice((both.length + 1) / 2));
}

const withoutSide = (name: string) => unquoted(name.replace(/\t$/, '')).replace(/^[ab]\//, '');

/** Git quotes names with special characters and writes UTF-8 bytes as octal escapes. */
function unquoted(name: string): string {
  const [, inner] = /^"(.*)"$/.exec(name) ?? [];
  if (inner === undefined) return name;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of inner.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(plain ?? ESCAPES[escaped ?? ''] ?? escaped));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function hunksIn(lines: readonly string[]): Hunk[] {
  const hunks: { heading: string; lines: PatchLine[] }[] = [];
  let before = 0;
  let after = 0;
  for (const line of lines) {
    const [, first, second, heading = ''] = HUNK.exec(line) ?? [];
    if (first !== undefined) {
      before = Number(first);
      after = Number(second);
      hunks.push({ heading, lines: [] });
      continue;
    }
    const hunk = hunks.at(-1)?.lines;
    if (hunk === undefined) continue;
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case ' ':
        hunk.push({ kind: 'context', before, after, text });
        before += 1;
        after += 1;
        break;
      case '-':
        hunk.push({ kind: 'removed', before, after: undefined, text });
        before += 1;
        break;
      case '+':
        hunk.push({ kind: 'added', before: undefined, after, text });
        after += 1;
        break;
      case '\\': {
        const last = hunk.pop();
        if (last !== undefined) hunk.push({ ...last, unended: true });
        break;
      }
      default:
        break;
    }
  }
  return hunks;
}

/** A row of the split layout. */
export interface Pair {
  readonly left: PatchLine | undefined;
  readonly right: PatchLine | undefined;
}

/** Pairs removed lines with the added lines that replace them. */
export function pairsOf(lines: readonly PatchLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      pairs.push({ left: removed[at], right: added[at] });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
