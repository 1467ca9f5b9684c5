import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Sink } from '../push-model.ts';
import type { Emit } from './codec.ts';

type Delta = Extract<
  LanguageModelV4StreamPart,
  { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }
>;

const isPlainDelta = (part: LanguageModelV4StreamPart): part is Delta =>
  'delta' in part && part.providerMetadata === undefined;

/**
 * Merges adjacent deltas of the same block until `flush`, which is called after each network read: a burst of small
 * events costs one part, and a stream that arrives event by event is passed on as it is. `flush` returns the last
 * promise of the sink.
 */
export function mergedDeltas(sink: Sink): { emit: Emit; flush(): Promise<void> | undefined } {
  let held: Delta | undefined;
  let pause: Promise<void> | undefined;
  const pass = (part: LanguageModelV4StreamPart) => {
    pause = sink(part) ?? pause;
  };
  const release = () => {
    if (held === undefined) return;
    const part = held;
    held = undefined;
    pass(part);
  };
  return {
    emit(part) {
      if (!isPlainDelta(part)) {
        release();
        pass(part);
      } else if (held !== undefined && held.type === part.type && held.id === part.id) {
        held.delta += part.delta;
      } else {
        release();
        // Copied, because it is extended.
        held = { ...part };
      }
    },
    flush() {
      release();
      const last = pause;
      pause = undefined;
      return last;
    },
  };
}
