import { type Clock, MemoryHistory, ProviderError, runTurn } from '@chatd/loop';
import type { ModelTest } from '@chatd/protocol';
import type { SecretValues } from '../secrets/secret-values.ts';
import type { ProviderRow } from '../store/providers.ts';
import { explained } from './list-provider-models.ts';
import type { ChatModel } from './models.ts';

const QUESTION = 'Answer with the single word: ready';
const LIMITS = { max_attempts: 1, startup_ms: 30_000, silence_ms: 30_000, max_steps: 2 };

/** Calls the model with its options, as chats do, and reports the result. */
export async function testModel(
  find: () => Promise<ChatModel>,
  context: {
    readonly provider: Pick<ProviderRow, 'type' | 'name'>;
    readonly clock: Clock;
    readonly secrets: SecretValues;
  },
): Promise<ModelTest> {
  const { clock, secrets, provider } = context;
  const began = clock.now();
  const latency = () => Math.max(0, Math.round(clock.now() - began));
  try {
    const { model, settings } = await find();
    const history = new MemoryHistory();
    history.send(QUESTION);
    const outcome = await runTurn({ model, settings, history, clock, limits: LIMITS });
    const latency_ms = latency();
    if (outcome.type === 'failed') {
      const { error } = outcome;
      return { ok: false, message: error.message, latency_ms, error };
    }
    const answer = history.messages.findLast(({ role }) => role === 'assistant');
    const text = (answer?.content ?? [])
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('');
    return {
      ok: true,
      message: `The model responded in ${latency_ms} ms.`,
      latency_ms,
      text: secrets.hideParts(text).slice(0, 1000),
      ...(answer?.usage !== undefined && { usage: answer.usage }),
      cost_micros: answer?.cost_micros ?? null,
    };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const failure = explained(error, provider, { secrets, clock });
    return { ok: false, message: failure.message, latency_ms: latency(), error: failure };
  }
}
