import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Failure } from '../errors/failure.ts';
import { callModel } from '../generate/call-model.ts';
import { ModelResponse } from '../generate/response.ts';
import { accountOf } from '../generate/step-message.ts';
import type { CompactionSource, HistoryMessage, HistoryPart } from '../history/message.ts';
import type { CallRequest } from '../prompt/prepare-call.ts';
import { promptView } from '../prompt/view.ts';
import type { Family } from '../providers/family.ts';
import { Interrupted } from '../stop-reason.ts';
import { tellSpent } from '../spent-call.ts';
import type { Turn } from '../turn.ts';
import { promptSize, shorten } from './shorten.ts';
import { SUMMARY_REQUEST } from './summary-prompt.ts';

export type Summarized = Pick<HistoryMessage, 'usage' | 'cost_micros'> &
  ({ ok: true; text: string } | { ok: false; failure: Failure; unusable?: Unusable });

/** Why a response is not usable as a summary. */
type Unusable = 'tool-calls' | 'length' | 'content-filter' | 'empty';

const MAX_SHORTENINGS = 3;
const BYTES_PER_TOKEN = 3;
/** Estimated share of the context that the summarized history may fill. */
const ROOM = 0.6;

/**
 * Requests the summary. Shortens a prompt that does not fit, repeatedly if needed. Retries once if the response is not
 * usable; the history is replaced only by a complete text.
 */
export async function summarize(
  turn: Turn,
  messages: readonly HistoryMessage[],
  source: CompactionSource,
  announce: () => void,
): Promise<Summarized> {
  const view = promptView(messages);
  let target = source === 'overflow' ? roomFor(turn, promptSize(view)) : undefined;
  let shortenings = 0;
  let rejected: Unusable | undefined;
  for (;;) {
    const shown = target === undefined ? messages : shorten(view, target);
    const summarized = await ask(turn, shown, rejected, announce);
    if (summarized.ok) return summarized;
    const { failure, unusable } = summarized;
    if (failure.context_too_long === true && shortenings < MAX_SHORTENINGS) {
      shortenings++;
      target = target === undefined ? roomFor(turn, promptSize(view)) : Math.floor(target / 2);
    } else if (unusable !== undefined && rejected === undefined) {
      rejected = unusable;
    } else {
      return summarized;
    }
    tellSpent(turn.spent, 'summary', summarized);
  }
}

function roomFor(turn: Turn, size: number): number {
  const limit = turn.summaryModel.settings.context_limit ?? turn.next.context_limit;
  const room = limit === undefined ? size : limit * BYTES_PER_TOKEN;
  return Math.floor(Math.min(room, size) * ROOM);
}

async function ask(
  turn: Turn,
  messages: readonly HistoryMessage[],
  rejected: Unusable | undefined,
  announce: () => void,
): Promise<Summarized> {
  const { clock, limits, signal, summaryModel, system } = turn;
  const { family } = summaryModel.conversion;
  const called = await callModel(turn, {
    purpose: 'summary',
    prepared: summaryModel,
    limitMs: limits.summary_ms,
    request: { system, messages, appended: request(rejected), ...choiceFor(family, rejected) },
    begin() {
      announce();
      // Clients see that a summary is being written, but not its text. Its calls never run.
      return new ModelResponse({
        clock,
        publish: () => {},
        names: summaryModel.names,
        usedCallIds: () => new Set(),
      });
    },
  });
  if (called.type === 'failed') return { ok: false, failure: called.failure };
  const account = accountOf(called.response?.finish, summaryModel);
  if (called.type === 'interrupted') {
    tellSpent(turn.spent, 'summary', account);
    signal.throwIfAborted();
    throw new Interrupted();
  }
  const content = await called.response.content((file) => turn.files.save(file));
  const text = textOf(content);
  const unusable = reasonAgainst(called.response, content, text);
  if (unusable === undefined) return { ...account, ok: true, text };
  return { ...account, ok: false, failure: noSummary(unusable), unusable };
}

const textOf = (content: readonly HistoryPart[]): string =>
  content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')
    .trim();

function reasonAgainst(
  { finish }: ModelResponse,
  content: readonly HistoryPart[],
  text: string,
): Unusable | undefined {
  const reason = finish?.reason.unified;
  if (reason === 'length' || reason === 'content-filter') return reason;
  if (content.some((part) => part.type === 'tool-call')) return 'tool-calls';
  return text === '' ? 'empty' : undefined;
}

/**
 * Forbids tools where that costs nothing. Anthropic's models cache a conversation for one tool choice only, so the
 * first request forbids them in words.
 */
function choiceFor(
  family: Family,
  rejected: Unusable | undefined,
): Pick<CallRequest, 'toolChoice'> {
  const isCached = family === 'anthropic' || family === 'bedrock' || family === 'openrouter';
  return isCached && rejected !== 'tool-calls' ? {} : { toolChoice: { type: 'none' } };
}

const AGAIN: Record<Unusable, string> = {
  'tool-calls': 'Your last response called a tool, and no tool was run. Write the summary as text.',
  length:
    'Your last summary exceeded the output limit and was cut off. Write a much shorter one: only what is needed to continue the work.',
  'content-filter': 'Your last summary was withheld. Omit verbatim quotations.',
  empty: 'Your last response had no text. Write the summary as text.',
};

const request = (rejected: Unusable | undefined): LanguageModelV4Prompt => [
  {
    role: 'user',
    content: [SUMMARY_REQUEST, ...(rejected === undefined ? [] : [AGAIN[rejected]])].map(
      (text) => ({
        type: 'text',
        text,
      }),
    ),
  },
];

const REASONS: Record<Unusable, string> = {
  'tool-calls': 'The model called tools instead of writing a summary.',
  length:
    'The summary exceeded the output limit. Raise max_output_tokens of the model that writes summaries.',
  'content-filter': 'The provider withheld the summary.',
  empty: 'The model wrote no summary.',
};

const noSummary = (unusable: Unusable): Failure => ({
  kind: unusable === 'content-filter' ? 'content_filter' : 'generic',
  retryable: false,
  message: `${REASONS[unusable]} The conversation was not changed.`,
});
