import type {
  LanguageModelV4,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { STEPS } from './scenario.ts';

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** An in-process model that calls a tool in every step but the last and reports its prompts. */
export function scriptedModel(onAsked: (prompt: LanguageModelV4Prompt) => void): LanguageModelV4 {
  let step = 0;
  return {
    specificationVersion: 'v4',
    provider: 'anthropic.messages',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not supported')),
    doStream({ prompt }) {
      onAsked(prompt);
      return Promise.resolve({ stream: ReadableStream.from(partsOf(++step)) });
    },
  };
}

function partsOf(step: number): LanguageModelV4StreamPart[] {
  const start: LanguageModelV4StreamPart = { type: 'stream-start', warnings: [] };
  if (step % STEPS === 0) {
    return [
      start,
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Done.' },
      { type: 'text-end', id: '0' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage: USAGE },
    ];
  }
  const id = `toolu_${step}`;
  const input = '{"a":1,"b":2}';
  return [
    start,
    { type: 'tool-input-start', id, toolName: 'add' },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: 'add', input },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_use' }, usage: USAGE },
  ];
}
