import type { Json, JsonObject, Retry } from '@chatd/protocol';

/** Usage and cost of a turn so far. */
export type TurnMetadata = JsonObject;

/** The supported part of the AI SDK's UI message stream protocol (v1). */
export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata: TurnMetadata }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
      readonly id: string;
    }
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly id: string;
      readonly delta: string;
    }
  | ({ readonly type: 'tool-input-start' } & Called)
  | {
      readonly type: 'tool-input-delta';
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | ({ readonly type: 'tool-input-available'; readonly input: Json } & Called)
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: Json;
      readonly preliminary?: true;
      readonly providerExecuted?: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted?: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: 'source-url';
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string;
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'steering-message'; readonly id: string; readonly parts: readonly UserPart[] }
  | { readonly type: 'data-retry'; readonly transient: true; readonly data: Retry }
  | { readonly type: 'message-metadata'; readonly messageMetadata: TurnMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'tool-calls' | 'interrupted';
      readonly messageMetadata: TurnMetadata;
    };

interface Called {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly dynamic?: true;
  readonly providerExecuted?: true;
}

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly url: string;
      readonly mediaType: string;
      readonly filename?: string;
    };
