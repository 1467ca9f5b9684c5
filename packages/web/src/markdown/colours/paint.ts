import { type Colours, TOKEN_KINDS } from './tokens.ts';

/**
 * Colours lie over the text (CSS custom highlights) instead of being made of elements: the text stays one node that can grow,
 * nothing is laid out again, and a thousand lines cost a thousand ranges, not ten thousand elements. A browser without
 * them shows plain code.
 */
const painted = TOKEN_KINDS.map((kind) => {
  if (typeof Highlight === 'undefined' || !('highlights' in CSS)) return undefined;
  const highlight = new Highlight();
  CSS.highlights.set(`code-${kind}`, highlight);
  return highlight;
});

/** Answers a function that takes the colours off again. */
export function paint(node: Text, colours: Colours): () => void {
  const ranges: [Highlight, AbstractRange][] = [];
  for (let at = 0; at + 2 < colours.length; at += 3) {
    const [start = 0, end = 0, kind = 0] = colours.slice(at, at + 3);
    const highlight = painted[kind];
    if (highlight === undefined || end > node.length) continue;
    const range = new StaticRange({
      startContainer: node,
      startOffset: start,
      endContainer: node,
      endOffset: end,
    });
    highlight.add(range);
    ranges.push([highlight, range]);
  }
  return () => {
    for (const [highlight, range] of ranges) highlight.delete(range);
  };
}
