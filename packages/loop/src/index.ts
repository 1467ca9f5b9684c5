export { type Clock, sleep, systemClock } from '@chatd/protocol/clock';
export { type Endpoint, codecModel } from './codecs/codec-model.ts';
export { type CodecName, providerCodec } from './codecs/provider-codec.ts';
export {
  type FailedResponse,
  fetchTransport,
  type HttpRequest,
  type Transport,
} from './codecs/transport.ts';
export { classify, type ClassifyContext } from './errors/classify.ts';
export { chatError, type Failure } from './errors/failure.ts';
export { ProviderError } from './errors/provider-error.ts';
export { FileRefused, type Files, type ImageLimit, MemoryFiles } from './files.ts';
export type { CallDecision, ChatFacts, Episode, History, Snapshot } from './history/history.ts';
export { MemoryHistory } from './history/memory-history.ts';
export {
  type CompactionSource,
  DENIED_RESULT,
  type FinishReason,
  type HistoryCall,
  type HistoryFile,
  type HistoryMessage,
  type HistoryPart,
  type HistoryReasoning,
  type HistoryResult,
  type HistorySource,
  type HistoryText,
  INTERRUPTED_RESULT,
  type MessageMeta,
  SUMMARY_TOOL,
  type SummaryMark,
} from './history/message.ts';
export { begunCalls, openStep } from './history/open-calls.ts';
export { type LiveEvent, LiveParts, type Publish } from './live-parts.ts';
export { type InspectedMedia, inspectMedia, mediaTypeOf } from './media/inspect.ts';
export { mergeParts } from './merge-parts.ts';
export { next, type Next, type NextConfig } from './next.ts';
export { type PlannedCall, UNKNOWN_OUTCOME } from './plan-calls.ts';
export type { ActiveTools } from './prepared-model.ts';
export { nativeComputer } from './providers/computer.ts';
export { type Model, type PushModel, pushModel, type Sink } from './push-model.ts';
export { isEncryptedField, publicResult } from './public-result.ts';
export { runTurn, type TurnOutcome } from './run-turn.ts';
export {
  type ConfiguredModel,
  DEFAULT_LIMITS,
  type Limits,
  type ModelSettings,
} from './settings.ts';
export type { SpentCall } from './spent-call.ts';
export { HandedOver, Interrupted, ShuttingDown } from './stop-reason.ts';
export { Media, type MediaFile } from './tools/media.ts';
export type { ModelName, NativeTool } from './tools/native-tool.ts';
export {
  type AwaitedTool,
  type LocalTool,
  type ProviderTool,
  type Tool,
  tool,
  type ToolContext,
  type ToolInput,
  type ToolOutput,
} from './tools/tool.ts';
export { type ApprovalPolicy, toolIndex, type ToolIndex } from './tools/tool-index.ts';
export type { TurnOptions } from './turn.ts';
