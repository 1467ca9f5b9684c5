import type { FilePart, FileReferencePart, Part } from '@chatd/protocol';
import {
  type ListedSource,
  readableContent,
  type ReadablePart,
} from '@chatd/protocol/presentation';
import { type BlockStream, blocksOf } from '../../markdown/blocks/block-stream.ts';
import { markOf } from '../../markdown/citation.ts';
import { Cell } from '../cell.ts';

export interface ThinkingTime {
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

/**
 * The visible pieces of a message. Streaming and committed messages have the same pieces with the same keys, so that
 * nothing moves when an answer is committed.
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
  | { readonly kind: 'sources'; readonly key: string; readonly sources: readonly ListedSource[] }
  | { readonly kind: 'file'; readonly key: string; readonly part: FilePart }
  | { readonly kind: 'reference'; readonly key: string; readonly part: FileReferencePart };

/** Texts that were parsed while streaming, by key. */
export type Known = ReadonlyMap<string, { text(): string; readonly stream: BlockStream }>;

/** `slot` is the key prefix: that of the message's preview, or its own. */
export function piecesOf(
  content: readonly Part[],
  slot: string,
  known: Known = new Map(),
): Piece[] {
  const pieces: Piece[] = [];
  const { parts, sources } = readableContent(content, markOf);
  for (const run of runsOf(parts)) {
    const [first] = run;
    const key = keyOf(slot, pieces, first.type);
    switch (first.type) {
      case 'text':
        pieces.push({ kind: 'text', key, stream: streamOf(run, key, known, sources) });
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
        break;
    }
  }
  if (sources.length > 0) pieces.push({ kind: 'sources', key: sourcesKey(slot), sources });
  return pieces;
}

export const callKey = (slot: string, callId: string): string => `${slot}/call/${callId}`;
export const sourcesKey = (slot: string): string => `${slot}/sources`;

/** Texts are numbered by kind (text/0, text/1) in streaming and committed messages alike. */
export function keyOf(slot: string, before: readonly Piece[], type: Part['type']): string {
  const kind = type === 'tool-call' ? 'call' : type === 'file-reference' ? 'reference' : type;
  return `${slot}/${kind}/${before.filter((piece) => piece.kind === kind).length}`;
}

type Run = readonly [ReadablePart, ...ReadablePart[]];

/** Consecutive text or reasoning parts form one piece. Blank text is dropped. */
function runsOf(parts: readonly ReadablePart[]): Run[] {
  const runs: [ReadablePart, ...ReadablePart[]][] = [];
  for (const part of parts) {
    if (part.type === 'tool-result') continue;
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

function streamOf(
  run: Run,
  key: string,
  known: Known,
  sources: readonly ListedSource[] = [],
): BlockStream {
  const text = textOf(run);
  const shown = known.get(key);
  if (shown?.text() === text) return shown.stream;
  return blocksOf(text, sources);
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
