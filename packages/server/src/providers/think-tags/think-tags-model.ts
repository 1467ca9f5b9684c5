import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { PushModel, Sink } from '@chatd/loop';
import { type TaggedText, ThinkTagSplitter } from './think-tag-splitter.ts';

type Part = LanguageModelV4StreamPart;

/** Many servers return reasoning as text between `<think>` and `</think>`. This model reports it as reasoning. */
export function thinkTagsModel(model: PushModel): PushModel {
  const { provider, modelId } = model;
  return {
    provider,
    modelId,
    push: (options, sink) => model.push(options, splitting(sink)),
  };
}

function splitting(sink: Sink): Sink {
  const blocks = new TextBlocks();
  return (part) => {
    let pause: Promise<void> | undefined;
    for (const one of blocks.read(part)) pause = sink(one) ?? pause;
    return pause;
  };
}

interface TextBlock {
  readonly splitter: ThinkTagSplitter;
  /** A block is reported only when its first characters are known. */
  readonly start: Extract<Part, { type: 'text-start' }>;
  open: 'nothing' | 'reasoning' | 'text';
}

class TextBlocks {
  readonly #blocks = new Map<string, TextBlock>();

  read(part: Part): Part[] {
    if (part.type === 'text-start') {
      this.#blocks.set(part.id, { splitter: new ThinkTagSplitter(), start: part, open: 'nothing' });
      return [];
    }
    if (part.type !== 'text-delta' && part.type !== 'text-end') return [part];
    const block = this.#blocks.get(part.id);
    if (block === undefined) return [part];
    if (part.type === 'text-delta') return shown(block, block.splitter.push(part.delta));
    this.#blocks.delete(part.id);
    return [...shown(block, block.splitter.end()), ...closing(block, part)];
  }
}

function shown(block: TextBlock, pieces: readonly TaggedText[]): Part[] {
  const { id } = block.start;
  return pieces.flatMap(({ type, text }): Part[] => {
    const before = opening(block, type);
    return type === 'text'
      ? [...before, { type: 'text-delta', id, delta: text }]
      : [...before, { type: 'reasoning-delta', id: reasoningId(block), delta: text }];
  });
}

function opening(block: TextBlock, type: TaggedText['type']): Part[] {
  if (block.open === type) return [];
  const before = block.open === 'reasoning' ? [reasoningEnd(block)] : [];
  block.open = type;
  return type === 'text'
    ? [...before, block.start]
    : [{ type: 'reasoning-start', id: reasoningId(block) }];
}

/** A block with nothing but reasoning is not text. */
function closing(block: TextBlock, end: Part): Part[] {
  if (block.open === 'reasoning') return [reasoningEnd(block)];
  return block.open === 'text' ? [end] : [block.start, end];
}

const reasoningId = ({ start }: TextBlock): string => `${start.id}-think`;
const reasoningEnd = (block: TextBlock): Part => ({
  type: 'reasoning-end',
  id: reasoningId(block),
});
