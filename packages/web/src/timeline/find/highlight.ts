const BLOCK = 'p, li, td, th, pre, h1, h2, h3, h4, h5, h6, button, summary, figcaption, div';
const HIDDEN = '.tl-actions, .sr-only, [aria-hidden="true"], time';

/** The matches in the text of an element, in order. */
export function rangesIn(root: Element, pattern: RegExp): Range[] {
  const nodes: { readonly node: Node; readonly from: number }[] = [];
  let text = '';
  let block: Element | null | undefined;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest(HIDDEN) !== null) continue;
    const around = parent.closest(BLOCK);
    // Words of different blocks are not adjacent.
    if (block !== undefined && around !== block) text += '\n\u0000';
    block = around;
    nodes.push({ node, from: text.length });
    text += node.nodeValue ?? '';
  }
  const pointAt = (offset: number) => {
    const found = nodes.findLast(({ from }) => from <= offset);
    return found && ([found.node, offset - found.from] as const);
  };
  return Array.from(text.matchAll(pattern)).flatMap((match) => {
    const [start, last] = [pointAt(match.index), pointAt(match.index + match[0].length - 1)];
    if (start === undefined || last === undefined) return [];
    const range = new Range();
    range.setStart(...start);
    range.setEnd(last[0], last[1] + 1);
    return [range];
  });
}

const NAMES = { all: 'find', current: 'find-current' };

/** Colors ranges without changing the page. Browsers without the API still scroll to the matches. */
export function paint(all: readonly Range[], current: Range | undefined): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.set(NAMES.all, new Highlight(...all));
  const marked = new Highlight(...(current === undefined ? [] : [current]));
  marked.priority = 1;
  CSS.highlights.set(NAMES.current, marked);
}

export function unpaint(): void {
  if (!('highlights' in CSS)) return;
  for (const name of Object.values(NAMES)) CSS.highlights.delete(name);
}
