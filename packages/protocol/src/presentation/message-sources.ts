import type { Part, SourcePart } from '../part.ts';
import { listedPages, pageKey, type WebPage } from './web-page.ts';

/** A source in the list below a response. */
export interface ListedSource extends WebPage {
  /** The number of its marks in the text. Absent: the text has none. */
  readonly number?: number;
}

/**
 * The sources of one message, each once, from its parts in order. Search results are listed again only if the text
 * cites them.
 */
export class MessageSources {
  readonly #found = new Set<string>();
  readonly #listed = new Map<string, ListedSource>();
  #numbers = 0;

  /**
   * The number of the mark to append to the text, if the part cites a source. A text that links to the page needs no
   * mark.
   */
  add(part: Part, textBefore: string): number | undefined {
    if (part.type === 'tool-result' && part.provider_executed === true) {
      for (const { url } of listedPages(part.result) ?? []) this.#found.add(pageKey(url));
    }
    if (part.type !== 'source') return undefined;
    const key = pageKey(part.url);
    const known = this.#listed.get(key);
    if (part.cited === true && !textBefore.includes(part.url)) {
      const number = known?.number ?? (this.#numbers += 1);
      this.#listed.set(key, { ...listed(known, part), number });
      return number;
    }
    if (part.cited === true || !this.#found.has(key)) this.#listed.set(key, listed(known, part));
    return undefined;
  }

  /** Numbered sources first. */
  get list(): readonly ListedSource[] {
    return [...this.#listed.values()].toSorted(
      (a, b) => (a.number ?? Infinity) - (b.number ?? Infinity) || 0,
    );
  }
}

function listed(known: ListedSource | undefined, { url, title = '' }: SourcePart): ListedSource {
  return { url, ...(title.trim() !== '' && { title: title.trim() }), ...known };
}
