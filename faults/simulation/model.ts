import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { PushModel, Sink } from '../../packages/loop/src/index.ts';
import { callId, effectKey, type Plan, parsePlan, stepChunks } from '../deployment/plan.ts';
import type { World } from './world.ts';

type Prompt = LanguageModelV4CallOptions['prompt'];

/** A machine that is not connected for so long is reported as offline. */
const COMMAND_SECONDS = 12;

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model that follows the plan in the last user message. Some of its responses fail and are retried. */
export const simulatedModel = (world: World): PushModel => ({
  provider: 'simulated',
  modelId: 'simulated',
  async push({ prompt, abortSignal }, sink) {
    const pause = async (most: number) => {
      await sleep(world.random.integer(1, most), undefined, abortSignal && { signal: abortSignal });
      abortSignal?.throwIfAborted();
    };
    try {
      await pause(50);
      // As a provider without a network.
      if (world.random.chance(0.03)) throw new TypeError('fetch failed');
      await respond(prompt, sink, () => pause(30));
    } catch (error) {
      abortSignal?.throwIfAborted();
      throw error;
    }
  },
});

async function respond(prompt: Prompt, sink: Sink, pause: () => Promise<void>): Promise<void> {
  const push = async (part: LanguageModelV4StreamPart) => {
    await sink(part);
    await pause();
  };
  const { plan, step } = locate(prompt);
  const planned = plan.steps[step] ?? { chunks: 1 };
  await push({ type: 'stream-start', warnings: [] });
  await push({ type: 'text-start', id: 't' });
  for (const delta of stepChunks(plan.id, step, planned)) {
    await push({ type: 'text-delta', id: 't', delta });
  }
  await push({ type: 'text-end', id: 't' });
  const { call } = planned;
  if (call !== undefined) {
    const key = effectKey(plan.id, step);
    await push({
      type: 'tool-call',
      toolCallId: callId(plan.id, step),
      toolName: call.tool,
      input: JSON.stringify(
        call.tool === 'execute'
          ? { command: `${key} ${call.ms ?? 0}`, timeout: COMMAND_SECONDS }
          : { key, ms: call.ms ?? 0 },
      ),
    });
  }
  const unified = call === undefined ? 'stop' : 'tool-calls';
  await push({ type: 'finish', finishReason: { unified, raw: unified }, usage: USAGE });
}

/** The last plan, and how many of its steps were answered. */
function locate(prompt: Prompt): { readonly plan: Plan; readonly step: number } {
  let step = 0;
  for (const message of prompt.toReversed()) {
    if (message.role === 'assistant') step += 1;
    if (message.role !== 'user') continue;
    for (const part of message.content.toReversed()) {
      const plan = part.type === 'text' ? parsePlan(part.text) : undefined;
      if (plan !== undefined) return { plan, step };
    }
  }
  throw new Error('The prompt contains no plan.');
}
