/** An event of AG-UI. The types of its fields are checked by the tests with the official client. */
export interface AgUiEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; arguments: string };
}

/** A message as clients of AG-UI have it. */
export type AgUiHistoryMessage =
  | { readonly id: string; readonly role: 'user'; readonly content: string | readonly object[] }
  | { readonly id: string; readonly role: 'reasoning'; content: string }
  | {
      readonly id: string;
      readonly role: 'assistant';
      content?: string;
      toolCalls?: ToolCall[];
    }
  | {
      readonly id: string;
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly error?: string;
    };
