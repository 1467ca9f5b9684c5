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
 * Messages as the loop commits and reads them. What stands here beyond the protocol's parts is
 * internal: it is stored, needed for the next prompt, and never shown to a client.
 */

interface Internal {
  /** What the provider wants back with this part: signatures, encrypted content, item ids. */
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
    /** The arguments as the model wrote them, kept when they are not valid JSON. */
    raw_args?: string;
    /** The response ended before the call was complete. */
    incomplete?: true;
  };
export type HistoryResult = Omit<ToolResultPart, 'result_delta'> &
  Internal & {
    /** Not the tool's own: the call was interrupted before it had a result. */
    interrupted?: boolean;
  };
export type HistorySource = SourcePart & Internal;
export type HistoryFile = FilePart &
  Internal & {
    /** Made while reasoning, and sent back as such. */
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

/** How far a turn had come when its history was summarised: the count goes on from there. */
export interface SummaryMark {
  source: CompactionSource;
  /** The model had finished when the summary was made, so going on means going in again. */
  after_finish: boolean;
  steps: number;
  reentries: number;
}

/** What the loop must remember of a message; one object, stored whole, never shown. */
export interface MessageMeta {
  /** On the response of a step. */
  finish_reason?: FinishReason;
  /** The provider's own word for it. */
  finish_raw?: string;
  provider?: string;
  model?: string;
  /** Only when the provider stores its responses: a follow-up may name it instead of the history. */
  provider_response_id?: string;
  /** The provider was told to forget this response. Nothing refers to it when later ones are stored. */
  unstored?: true;
  /** Calls that start right after this message is committed. A successor must count them as begun. */
  starts?: string[];
  /** On results: the turn was interrupted and ends here. */
  interrupted?: boolean;
  /** On a user message that joined a running turn and so does not begin one. */
  steered?: boolean;
  /** On the call and the result of `chat_summarized`. */
  compaction?: { source: CompactionSource; error_kind?: ErrorKind };
  /** On the hidden message that holds a summary. */
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

/** The result of a call that somebody was asked about and did not allow. */
export const DENIED_RESULT = 'The call was not run: the user denied it.';
