import type { Part, SourcePart } from '../part.ts';
import { citationMark } from './citation-mark.ts';
import { type ListedSource, MessageSources } from './message-sources.ts';

/** A part without the sources. */
export type ReadablePart = Exclude<Part, SourcePart>;

interface ReadableContent {
  /** Adjacent texts are merged: providers split a text at citations. */
  readonly parts: readonly ReadablePart[];
  readonly sources: readonly ListedSource[];
}

/** A message for readers: citation marks in the text, and each source once. */
export function readableContent(
  content: readonly Part[],
  markOf: (number: number, source: SourcePart) => string,
): ReadableContent {
  const sources = new MessageSources();
  const parts: ReadablePart[] = [];
  for (const part of content) {
    const last = parts.at(-1);
    const before = last?.type === 'text' ? last.text : '';
    const number = sources.add(part, before);
    if (part.type === 'source') {
      if (last?.type === 'text' && number !== undefined) {
        const mark = citationMark(before, markOf(number, part));
        parts[parts.length - 1] = { ...last, text: before + mark };
      }
    } else if (part.type === 'text' && last?.type === 'text') {
      parts[parts.length - 1] = { ...last, text: before + part.text };
    } else {
      parts.push(part);
    }
  }
  return { parts, sources: sources.list };
}
