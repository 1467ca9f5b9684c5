import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type {
  ErrorKind,
  FilePart,
  FileReferencePart,
  Json,
  ReasoningPart,
  Role,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from '@chatd/protocol';

export { SUMMARY_TOOL } from '@chatd/protocol';

/*
 * Messages as the loop commits and reads them. Fields beyond the protocol's parts are internal: they are stored, needed
 * for the next prompt, and never shown to clients.
 */

interface Internal {
  /** Data that the provider needs back with this part: signatures, encrypted content, item IDs. */
  provider_metadata?: SharedV4ProviderMetadata;
}

export type HistoryText = TextPart &
  Internal & {
    /** A block that only its provider understands; its text is empty. */
    custom_kind?: `${string}.${string}`;
  };
export type HistoryReasoning = ReasoningPart & Internal;
export type HistoryCall = Omit<ToolCallPart, 'args_delta' | 'args'> &
  Internal & {
    args: Json;
    /** The raw arguments, kept if they are not valid JSON. */
    raw_args?: string;
    /** The response ended before the call was complete. */
    incomplete?: true;
  };
export type HistoryResult = Omit<ToolResultPart, 'result_delta'> &
  Internal & {
    /** Not from the tool: the call was interrupted before it had a result. */
    interrupted?: boolean;
  };
export type HistorySource = SourcePart & Internal;
export type HistoryFile = FilePart &
  Internal & {
    /** Created during reasoning, and sent back as such. */
    of_reasoning?: boolean;
  };

export type HistoryPart =
  | HistoryText
  | HistoryReasoning
  | HistoryCall
  | HistoryResult
  | HistorySource
  | HistoryFile
  | FileReferencePart;

export type FinishReason =
  | 'stop'
  | 'tool-calls'
  | 'length'
  | 'content-filter'
  | 'other'
  | 'interrupted';

export type CompactionSource = 'automatic' | 'manual' | 'overflow';

/** Progress of the turn when its history was summarized; the count continues from there. */
export interface SummaryMark {
  source: CompactionSource;
  /** The model had finished when the summary was written, so continuing starts another step. */
  after_finish: boolean;
  steps: number;
  reentries: number;
}

/** Internal facts about a message, stored as one object and never shown. */
export interface MessageMeta {
  /** On the response of a step. */
  finish_reason?: FinishReason;
  /** The provider's own finish reason. */
  finish_raw?: string;
  provider?: string;
  model?: string;
  /** Set only if the provider stores its responses: a follow-up may refer to it instead of repeating the history. */
  provider_response_id?: string;
  /** The provider was told not to store this response, so later requests do not refer to it. */
  unstored?: true;
  /** Calls that start right after this message is committed. A new owner must count them as started. */
  starts?: string[];
  /** On results: the turn was interrupted and ends here. */
  interrupted?: boolean;
  /** On a user message that joined a running turn and does not start one. */
  steered?: boolean;
  /** On a user message: the name of a sender who does not own the chat. */
  author?: string;
  /** On the call and the result of `chat_summarized`. */
  compaction?: { source: CompactionSource; error_kind?: ErrorKind };
  /** On the hidden message that contains a summary. */
  summary?: SummaryMark;
}

export interface HistoryMessage {
  role: Role;
  content: HistoryPart[];
  /** Sent to the model, never to a client. */
  hidden?: boolean;
  usage?: Usage;
  cost_micros?: number;
  runtime_ms?: number;
  meta?: MessageMeta;
}

export const INTERRUPTED_RESULT = 'tool call was interrupted before it produced a result';

/** The result of a call that a user denied, followed by the reason, if any. Clients recognize it by its beginning. */
export const DENIED_RESULT = 'The call was not run: the user denied it.';
