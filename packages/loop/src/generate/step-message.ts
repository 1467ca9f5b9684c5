import type { FinishReason, HistoryMessage, HistoryPart, MessageMeta } from '../history/message.ts';
import { responseId } from '../providers/openai.ts';
import type { PreparedModel } from '../prepared-model.ts';
import { contextLimitIn } from './context-limit.ts';
import type { Finish, ModelResponse } from './response.ts';
import { costMicros, usageOf } from './usage.ts';

const REASONS: Partial<Record<Finish['reason']['unified'], FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool-calls',
  'content-filter': 'content-filter',
};

/** Tokens and cost of a model call, as far as the provider reported them. */
export function accountOf(
  finish: Finish | undefined,
  { settings }: Pick<PreparedModel, 'settings'>,
): Pick<HistoryMessage, 'usage' | 'cost_micros'> {
  if (finish === undefined) return {};
  const limit = contextLimitIn(finish.metadata) ?? settings.context_limit;
  const usage = usageOf(finish.usage, limit);
  const cost = costMicros(usage, settings.price);
  return { usage, ...(cost !== undefined && { cost_micros: cost }) };
}

/** The response of a step as it is committed, complete or interrupted. */
export function stepMessage(
  content: HistoryPart[],
  response: ModelResponse,
  prepared: PreparedModel,
  options: { interrupted: boolean; runtimeMs: number },
): HistoryMessage {
  const { model, conversion } = prepared;
  const { finish } = response;
  const complete = !options.interrupted && finish !== undefined;
  const id = complete && conversion.chained ? responseId(finish.metadata, response.id) : undefined;
  const meta: MessageMeta = {
    finish_reason: complete ? (REASONS[finish.reason.unified] ?? 'other') : 'interrupted',
    provider: model.provider,
    model: model.modelId,
    ...(finish?.reason.raw !== undefined && { finish_raw: finish.reason.raw }),
    ...(id !== undefined && { provider_response_id: id }),
    ...(conversion.family === 'openai-responses' && !conversion.stored && { unstored: true }),
  };
  return {
    role: 'assistant',
    content,
    ...accountOf(finish, prepared),
    runtime_ms: options.runtimeMs,
    meta,
  };
}
