import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { classify } from '../errors/classify.ts';
import type { Failure } from '../errors/failure.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { attempt } from '../generate/attempt.ts';
import { ModelResponse } from '../generate/response.ts';
import { accountOf } from '../generate/step-message.ts';
import type { CompactionSource, HistoryMessage } from '../history/message.ts';
import { openStep } from '../history/open-calls.ts';
import { legalCallId } from '../history/call-ids.ts';
import { prepareCall } from '../prompt/prepare-call.ts';
import { promptView } from '../prompt/view.ts';
import { tellSpent } from '../spent-call.ts';
import type { Turn } from '../turn.ts';
import { promptSize, shorten } from './shorten.ts';
import { PENDING_RESULT, SUMMARY_REQUEST } from './summary-prompt.ts';

export type Summarised = Pick<HistoryMessage, 'usage' | 'cost_micros'> &
  ({ ok: true; text: string } | { ok: false; failure: Failure });

const MAX_SHORTENINGS = 3;
const BYTES_PER_TOKEN = 3;
/** How full the context may be with what is summarised, by estimate. */
const ROOM = 0.6;

/** Asks for the summary; a prompt that does not fit is shortened first, and again if need be. */
export async function summarise(
  turn: Turn,
  messages: readonly HistoryMessage[],
  source: CompactionSource,
): Promise<Summarised> {
  const view = promptView(messages);
  let target = source === 'overflow' ? roomFor(turn, promptSize(view)) : undefined;
  for (let tries = 0; ; tries++) {
    const text = target === undefined ? messages : shorten(view, target);
    const summarised = await ask(turn, text);
    const tooLong = !summarised.ok && summarised.failure.context_too_long === true;
    if (!tooLong || tries >= MAX_SHORTENINGS) return summarised;
    tellSpent(turn.spent, 'summary', summarised);
    target = target === undefined ? roomFor(turn, promptSize(view)) : Math.floor(target / 2);
  }
}

function roomFor(turn: Turn, size: number): number {
  const limit = turn.summariser.settings.context_limit ?? turn.next.context_limit;
  const room = limit === undefined ? size : limit * BYTES_PER_TOKEN;
  return Math.floor(Math.min(room, size) * ROOM);
}

async function ask(turn: Turn, messages: readonly HistoryMessage[]): Promise<Summarised> {
  const { summariser, clock, limits, signal } = turn;
  const { model } = summariser;
  // Nothing of it is live: clients see that it happens, not the text.
  const response = new ModelResponse({
    clock,
    publish: () => {},
    names: turn.names,
    // Its calls are ignored.
    usedCallIds: () => new Set(),
  });
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const cancel = clock.after(limits.summary_ms, () =>
    controller.abort(tookTooLong(limits.summary_ms)),
  );
  try {
    const call = await prepareCall(summariser, {
      system: turn.system,
      messages,
      appended: [...pendingResults(turn, messages), request],
      chain: false,
      selfContained: false,
    });
    await attempt(model, call, response, { clock, limits, signal: controller.signal });
    const content = await response.content((file) => turn.files.save(file));
    const text = content
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('')
      .trim();
    const account = accountOf(response.finish, summariser);
    if (text === '') return { ...account, ok: false, failure: NO_TEXT };
    return { ...account, ok: true, text };
  } catch (error) {
    const account = accountOf(response.finish, summariser);
    if (signal.aborted) tellSpent(turn.spent, 'summary', account);
    signal.throwIfAborted();
    return { ...account, ok: false, failure: classify(error, { provider: model.provider, clock }) };
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}

const request: LanguageModelV4Prompt[number] = {
  role: 'user',
  content: [{ type: 'text', text: SUMMARY_REQUEST }],
};

/** Calls that someone else still has to answer: no provider takes a prompt with open ones. */
function pendingResults(turn: Turn, messages: readonly HistoryMessage[]): LanguageModelV4Prompt {
  const calls = openStep(messages)?.calls ?? [];
  if (calls.length === 0) return [];
  return [
    {
      role: 'tool',
      content: calls.map((call) => ({
        type: 'tool-result',
        toolCallId: legalCallId(call.tool_call_id),
        toolName: turn.names.toProvider(call.tool_name),
        output: { type: 'text', value: PENDING_RESULT },
      })),
    },
  ];
}

const tookTooLong = (ms: number) =>
  new ProviderError({
    kind: 'timeout',
    message: `The summary took longer than ${Math.round(ms / 1000)} s and was given up.`,
  });

const NO_TEXT: Failure = {
  kind: 'generic',
  retryable: false,
  message: 'The model wrote no summary.',
};
