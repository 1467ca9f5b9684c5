import type { FilePart, FileReferencePart, Part, SourcePart } from '@chatd/protocol';
import { type BlockStream, blocksOf } from '../../markdown/blocks/block-stream.ts';
import { Cell } from '../cell.ts';

export interface ThinkingTime {
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/**
 * What a person sees of a message, one after the other. The same for what is being said and for what was committed, with the
 * same keys: when an answer is committed, it takes the place of its preview, and nothing moves.
 */
export type Piece =
  | { readonly kind: 'text'; readonly key: string; readonly stream: BlockStream }
  | {
      readonly kind: 'reasoning';
      readonly key: string;
      readonly stream: BlockStream;
      readonly time: Cell<ThinkingTime>;
    }
  | { readonly kind: 'call'; readonly key: string; readonly callId: string }
  | { readonly kind: 'sources'; readonly key: string; readonly sources: readonly SourcePart[] }
  | { readonly kind: 'file'; readonly key: string; readonly part: FilePart }
  | { readonly kind: 'reference'; readonly key: string; readonly part: FileReferencePart };

/** Texts that were shown while they were being said, by key: read already. */
export type Known = ReadonlyMap<string, { text(): string; readonly stream: BlockStream }>;

/** `slot` is what the keys begin with: of the preview that a message was, or its own. */
export function piecesOf(
  content: readonly Part[],
  slot: string,
  known: Known = new Map(),
): Piece[] {
  const pieces: Piece[] = [];
  for (const run of runsOf(content)) {
    const [first] = run;
    const key = keyOf(slot, pieces, first.type);
    switch (first.type) {
      case 'text':
        pieces.push({ kind: 'text', key, stream: streamOf(run, key, known) });
        break;
      case 'reasoning':
        pieces.push({
          kind: 'reasoning',
          key,
          stream: streamOf(run, key, known),
          time: new Cell<ThinkingTime>(thinkingTime(run)),
        });
        break;
      case 'tool-call':
        pieces.push({
          kind: 'call',
          key: callKey(slot, first.tool_call_id),
          callId: first.tool_call_id,
        });
        break;
      case 'file':
        pieces.push({ kind: 'file', key, part: first });
        break;
      case 'file-reference':
        pieces.push({ kind: 'reference', key, part: first });
        break;
      case 'tool-result':
      case 'source':
        break;
    }
  }
  const sources = content.filter((part) => part.type === 'source');
  if (sources.length > 0) pieces.push({ kind: 'sources', key: sourcesKey(slot), sources });
  return pieces;
}

export const callKey = (slot: string, callId: string): string => `${slot}/call/${callId}`;
export const sourcesKey = (slot: string): string => `${slot}/sources`;

/** The first text is text/0, the second text/1: committed and live alike. */
export function keyOf(slot: string, before: readonly Piece[], type: Part['type']): string {
  const kind = type === 'tool-call' ? 'call' : type === 'file-reference' ? 'reference' : type;
  return `${slot}/${kind}/${before.filter((piece) => piece.kind === kind).length}`;
}

type Run = readonly [Part, ...Part[]];

/** Text goes on after a source and in the next part: providers cut it where they cite. Blank text is nothing. */
function runsOf(content: readonly Part[]): Run[] {
  const runs: [Part, ...Part[]][] = [];
  for (const part of content) {
    if (part.type === 'source' || part.type === 'tool-result') continue;
    const last = runs.at(-1);
    const grows = part.type === 'text' || part.type === 'reasoning';
    if (grows && last?.[0].type === part.type) last.push(part);
    else runs.push([part]);
  }
  return runs.filter((run) => {
    const grows = run[0].type === 'text' || run[0].type === 'reasoning';
    return !grows || textOf(run).trim() !== '';
  });
}

const textOf = (run: Run): string =>
  run.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : '')).join('');

function streamOf(run: Run, key: string, known: Known): BlockStream {
  const text = textOf(run);
  const shown = known.get(key);
  if (shown?.text() === text) return shown.stream;
  return blocksOf(text);
}

function thinkingTime(run: Run): ThinkingTime {
  const times = run.flatMap((part) => (part.type === 'reasoning' ? [part] : []));
  return {
    startedAt: timeOf(times[0]?.created_at),
    endedAt: timeOf(times.at(-1)?.completed_at),
  };
}

export const timeOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);
