import { type RefObject, useEffect } from 'react';
import { requestHighlights } from '../../markdown/highlight/request-highlights.ts';
import { grammarOf } from '../../markdown/highlight/language-name.ts';
import { paint } from '../../markdown/highlight/paint.ts';
import type { Highlights } from '../../markdown/highlight/tokens.ts';
import { safeText } from '../../markdown/safe-text.ts';
import type { DiffLayout } from './diff-layout.ts';
import type { PatchLine } from './patch.ts';

/** Longer hunks stay plain: they are most likely generated. */
const LONGEST = 20_000;

/** Highlights the lines of a hunk. The attribute `data-line` identifies the line of an element. */
export function useHunkHighlights(
  element: RefObject<HTMLElement | null>,
  lines: readonly PatchLine[],
  path: string,
  /** Another layout has other elements. */
  layout: DiffLayout,
): void {
  useEffect(() => {
    const grammar = grammarOf(endingOf(path));
    if (grammar === undefined) return;
    let gone = false;
    const painted: (() => void)[] = [];
    const color = async (side: 'removed' | 'added') => {
      // Old and new lines are highlighted as separate texts; mixed they are not valid code.
      const shown = [...lines.entries()].filter(
        ([, { kind }]) => kind === 'context' || kind === side,
      );
      if (side === 'removed' && !lines.some(({ kind }) => kind === side)) return;
      const texts = shown.map(([, { text }]) => safeText(text));
      const text = texts.join('\n');
      if (text.length > LONGEST) return;
      const highlights = await requestHighlights({ language: grammar, text, after: '' });
      if (gone || element.current === null) return;
      for (const [at, own] of byLine(highlights, texts).entries()) {
        const [index = 0, line] = shown[at] ?? [];
        // Context lines use the new side's highlights.
        if (own.length === 0 || (side === 'removed' && line?.kind === 'context')) continue;
        for (const node of element.current.querySelectorAll(`[data-line="${index}"]`)) {
          const { firstChild } = node;
          if (firstChild instanceof Text) painted.push(paint(firstChild, own));
        }
      }
    };
    void color('added');
    void color('removed');
    return () => {
      gone = true;
      for (const takeOff of painted) takeOff();
    };
  }, [element, lines, path, layout]);
}

export const endingOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name;
};

/** Splits ranges of a text into ranges of its lines. */
export function byLine(highlights: Highlights, texts: readonly string[]): number[][] {
  const lines: number[][] = texts.map(() => []);
  let line = 0;
  let from = 0;
  for (let at = 0; at + 2 < highlights.length; at += 3) {
    const [start = 0, end = 0, kind = 0] = highlights.slice(at, at + 3);
    while (line < texts.length && start > from + (texts[line]?.length ?? 0)) {
      from += (texts[line]?.length ?? 0) + 1;
      line += 1;
    }
    // A comment or a string may span several lines.
    let top = from;
    for (let each = line; each < texts.length && top < end; each += 1) {
      const length = texts[each]?.length ?? 0;
      const first = Math.max(0, start - top);
      const last = Math.min(length, end - top);
      if (last > first) lines[each]?.push(first, last, kind);
      top += length + 1;
    }
  }
  return lines;
}
