import type { ChatError, Message } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import type { TurnRef } from '../protocols/turn-ref.ts';
import { allInputTokens, type TurnUsage } from '../protocols/turn-usage.ts';
import { conversationId, responseId } from './ids.ts';

/** Server tools are shown as calls of an MCP server with this label. */
export const SERVER_LABEL = 'chatd';

type ResponseStatus =
  | 'queued'
  | 'in_progress'
  | 'completed'
  | 'failed'
  | 'incomplete'
  | 'cancelled';

interface Annotation {
  readonly type: 'url_citation';
  readonly url: string;
  readonly title: string;
  readonly start_index: number;
  readonly end_index: number;
}

interface TextPart {
  readonly type: 'output_text';
  text: string;
  readonly annotations: Annotation[];
  readonly logprobs: readonly never[];
}

interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  status: 'in_progress' | 'completed' | 'incomplete';
  readonly role: 'assistant';
  readonly content: TextPart[];
}

interface SummaryPart {
  readonly type: 'summary_text';
  text: string;
}

interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly summary: SummaryPart[];
}

export interface FunctionCallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: 'in_progress' | 'completed';
}

export interface ServerCallItem {
  readonly type: 'mcp_call';
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: 'in_progress' | 'completed' | 'failed';
  readonly output: string | null;
  readonly error: string | null;
}

interface ApprovalItem {
  readonly type: 'mcp_approval_request';
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

export type OutputItem =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | ServerCallItem
  | ApprovalItem;

export function messageItem(id: string) {
  const part: TextPart = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  const [type, status, role] = ['message', 'in_progress', 'assistant'] as const;
  const item: MessageItem = { type, id, status, role, content: [part] };
  return { kind: 'text' as const, item, part };
}

export function reasoningItem(id: string) {
  const part: SummaryPart = { type: 'summary_text', text: '' };
  const item: ReasoningItem = { type: 'reasoning', id, summary: [part] };
  return { kind: 'reasoning' as const, item, part };
}

/** What a response says about its request and its chat. */
export interface ResponseHead {
  readonly ref: TurnRef;
  readonly createdAt: Date;
  readonly model: string;
  readonly chat: Pick<ChatRow, 'system_prompt' | 'labels' | 'dynamic_tools' | 'reasoning_effort'>;
  readonly previous?: string | null;
  readonly stored?: boolean;
}

export interface ResponseOutcome {
  readonly status: ResponseStatus;
  readonly error?: { readonly code: string; readonly message: string };
  readonly reason?: 'max_output_tokens' | 'content_filter';
}

export function responseObject(
  { ref, createdAt, model, chat, previous = null, stored = true }: ResponseHead,
  { status, error, reason }: ResponseOutcome,
  output: readonly OutputItem[],
  usage: ResponseUsage | null,
): object {
  return {
    id: responseId(ref),
    object: 'response',
    created_at: Math.floor(createdAt.getTime() / 1000),
    status,
    // Every response outlives its connection.
    background: true,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: chat.system_prompt,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: previous,
    conversation: stored ? { id: conversationId(ref.chatId) } : null,
    reasoning: { effort: chat.reasoning_effort, summary: null },
    store: stored,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: chat.dynamic_tools.map(({ name, description, input_schema }) => ({
      type: 'function',
      name,
      description,
      parameters: input_schema,
      strict: false,
    })),
    top_p: null,
    truncation: 'disabled',
    usage: status === 'in_progress' || status === 'queued' ? null : usage,
    metadata: chat.labels,
  };
}

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

export function responseUsage(usage: TurnUsage): ResponseUsage {
  const { output_tokens = 0, cache_read_tokens = 0, reasoning_tokens = 0 } = usage;
  const input_tokens = allInputTokens(usage);
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cache_read_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  };
}

const ERROR_CODES: Partial<Record<ChatError['kind'], string>> = {
  rate_limit: 'rate_limit_exceeded',
  usage_limit: 'rate_limit_exceeded',
  spend_limit: 'rate_limit_exceeded',
  context_length: 'invalid_prompt',
  content_filter: 'invalid_prompt',
};

/** Other kinds are errors of the server, from the view of the client. */
export const responseError = ({ kind, message }: ChatError) => ({
  code: ERROR_CODES[kind] ?? 'server_error',
  message,
});

/** The outcome of a turn whose last response is this message. */
export function outcomeOf(last: Message | undefined, interrupted: boolean): ResponseOutcome {
  switch (last?.cut_off) {
    case 'length':
      return { status: 'incomplete', reason: 'max_output_tokens' };
    case 'content-filter':
      return { status: 'incomplete', reason: 'content_filter' };
    case 'interrupted':
      return { status: 'cancelled' };
    case undefined:
      return { status: interrupted || last === undefined ? 'cancelled' : 'completed' };
  }
}
