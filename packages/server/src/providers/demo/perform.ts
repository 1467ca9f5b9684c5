import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Clock } from '@chatd/loop';
import { pauses, type Pace } from './pace.ts';
import type { Failing, ScriptPiece, Script } from './script.ts';
import { CONTEXT_LIMIT, tokensOf, usageOf } from './tokens.ts';
import { slices, words } from './words.ts';

export interface Performance {
  options: LanguageModelV4CallOptions;
  clock: Clock;
  pace: Pace;
  signal: AbortSignal;
  /** Unique within the process. Call ids are derived from it. */
  id: string;
  /** How this call fails, if it does. */
  failing: Failing | undefined;
}

/** Plays a script as stream parts. */
export async function* perform(
  script: Script,
  stage: Performance,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const { options, failing } = stage;
  const pieces = failing === undefined ? heard(script.pieces, options) : beforeFailing(failing);
  const pause = pauses({ ...script, pieces }, stage);
  const spoken = { text: '', reasoning: '', fillsContext: script.fillsContext === true };
  const budget = options.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  let reason: LanguageModelV4FinishReason = { unified: 'stop', raw: 'end' };

  yield { type: 'stream-start', warnings: [] };
  await pause.start();
  yield { type: 'response-metadata', id: stage.id };
  for (const { piece, part } of partsOf(pieces, stage.id)) {
    stage.signal.throwIfAborted();
    yield part;
    if (part.type === 'tool-call') reason = { unified: 'tool-calls', raw: 'calls' };
    if (!('delta' in part)) continue;
    if (part.type === 'reasoning-delta') spoken.reasoning += part.delta;
    else spoken.text += part.delta;
    if (tokensOf(spoken.text) + tokensOf(spoken.reasoning) >= budget) {
      reason = { unified: 'length', raw: 'max_output_tokens' };
      break;
    }
    await pause.between(piece);
  }
  if (failing !== undefined) throw failing.error;
  yield {
    type: 'finish',
    finishReason: reason,
    usage: usageOf(options, spoken),
    // Otherwise the limit comes from the model config.
    ...(spoken.fillsContext && { providerMetadata: { demo: { context_limit: CONTEXT_LIMIT } } }),
  };
}

function heard(pieces: readonly ScriptPiece[], { reasoning }: LanguageModelV4CallOptions) {
  return reasoning === 'none' ? pieces.filter((piece) => piece.type !== 'think') : pieces;
}

const beforeFailing = ({ after }: Failing): ScriptPiece[] =>
  after === undefined ? [] : [{ type: 'say', text: after }];

function* partsOf(pieces: readonly ScriptPiece[], id: string) {
  for (const [index, piece] of pieces.entries()) {
    for (const part of partsOfPiece(piece, `${id}-${index}`)) yield { piece, part };
  }
}

function* partsOfPiece(piece: ScriptPiece, id: string): Generator<LanguageModelV4StreamPart> {
  switch (piece.type) {
    case 'think':
      yield { type: 'reasoning-start', id };
      for (const delta of words(piece.text, 3)) yield { type: 'reasoning-delta', id, delta };
      yield { type: 'reasoning-end', id };
      return;
    case 'say':
      yield { type: 'text-start', id };
      for (const delta of words(piece.text, 2)) yield { type: 'text-delta', id, delta };
      yield { type: 'text-end', id };
      return;
    case 'call': {
      const input = JSON.stringify(piece.input);
      yield { type: 'tool-input-start', id, toolName: piece.tool };
      for (const delta of slices(input, 24)) yield { type: 'tool-input-delta', id, delta };
      yield { type: 'tool-input-end', id };
      yield { type: 'tool-call', toolCallId: id, toolName: piece.tool, input };
    }
  }
}
