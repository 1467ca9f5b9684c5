import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { type HistoryMessage, MemoryHistory, runTurn, tool } from '@chatd/loop';
import { answer, text, wireEvents } from '@chatd/testing';
import { z } from 'zod';
import type { HistorySample, HistorySubject } from './history-sample.ts';
import { STEPS } from './scenario.ts';
import { scriptedModel } from './scripted-model.ts';
import { add, MODEL, SYSTEM } from './subject.ts';

const WARM_UP_TURNS = 10;
const TURNS = 20;
const input = z.object({ a: z.number(), b: z.number() });

export async function measureHistory(name: HistorySubject, size: number): Promise<HistorySample> {
  const run = await TURNS_OF[name]();
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await timeTurn(run, size);
  const samples: HistorySample[] = [];
  for (let turn = 0; turn < TURNS; turn++) samples.push(await timeTurn(run, size));
  return {
    firstStepMs: Math.min(...samples.map(({ firstStepMs }) => firstStepMs)),
    laterStepMs: Math.min(...samples.map(({ laterStepMs }) => laterStepMs)),
  };
}

type Asked = Parameters<typeof scriptedModel>[0];
type Turn = (asked: number[], size: number) => Promise<void>;

const TURNS_OF: Record<HistorySubject, () => Turn | Promise<Turn>> = {
  loop: () => loopTurn,
  streamText: streamTextTurn,
  'provider package': () => packageTurn,
};

async function timeTurn(run: Turn, size: number): Promise<HistorySample> {
  const asked: number[] = [];
  const start = performance.now();
  await run(asked, size);
  const [first = start] = asked;
  const last = asked.at(-1) ?? first;
  return { firstStepMs: first - start, laterStepMs: (last - first) / (asked.length - 1) };
}

/** Repeats: a user message, a tool call, its result, an assistant message. */
function pastOf(size: number): { user: string; id: string; said: string }[] {
  return Array.from({ length: Math.ceil(size / 4) }, (_none, index) => ({
    user: `Question ${index}: what is ${index} and one?`,
    id: `toolu_past_${index}`,
    said: `It is ${index + 1}. `.repeat(20),
  }));
}

function historyOf(size: number): HistoryMessage[] {
  return pastOf(size).flatMap(({ user, id, said }): HistoryMessage[] => [
    { role: 'user', content: [{ type: 'text', text: user }] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', tool_call_id: id, tool_name: 'add', args: { a: 1, b: 2 } }],
      meta: { finish_reason: 'tool-calls' },
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', tool_call_id: id, tool_name: 'add', result: 3 }],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: said }],
      meta: { finish_reason: 'stop' },
    },
  ]);
}

const past = new Map<number, HistoryMessage[]>();

const loopTurn: Turn = (asked, size) => runLoop(size, () => asked.push(performance.now()));

async function runLoop(size: number, onAsked: Asked): Promise<void> {
  const before = past.get(size) ?? historyOf(size);
  past.set(size, before);
  const history = new MemoryHistory(before);
  history.send('Go.');
  const tools = [tool({ name: 'add', input, idempotent: true, run: (args) => add(args) })];
  await runTurn({ model: scriptedModel(onAsked), history, tools, system: [SYSTEM] });
}

/**
 * The cost of the provider package with a finished prompt: it converts and serializes the whole prompt in every step.
 */
const packageTurn: Turn = async (asked, size) => {
  const model = createAnthropic({ apiKey: 'any', fetch })(MODEL);
  const prompt = await promptOf(size);
  for (let step = 0; step <= STEPS; step++) {
    asked.push(performance.now());
    const { stream } = await model.doStream({ prompt, maxOutputTokens: 4_096 });
    for await (const part of stream) if (part.type === 'error') throw part.error;
  }
};

const DONE = wireEvents('anthropic', answer([text('Done.')])).join('');
const fetch = () => Promise.resolve(new Response(DONE, { headers: EVENT_STREAM }));
const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const prompts = new Map<number, LanguageModelV4Prompt>();

async function promptOf(size: number): Promise<LanguageModelV4Prompt> {
  if (!prompts.has(size)) await runLoop(size, (prompt) => void prompts.set(size, prompt));
  return prompts.get(size) ?? [];
}

async function streamTextTurn(): Promise<Turn> {
  const { isStepCount, streamText, tool } = await import('ai');
  const tools = { add: tool({ inputSchema: input, execute: add }) };
  return async (asked, size) => {
    const messages = [...messagesOf(size), { role: 'user' as const, content: 'Go.' }];
    const result = streamText({
      model: scriptedModel(() => asked.push(performance.now())),
      instructions: SYSTEM,
      messages,
      tools,
      stopWhen: isStepCount(STEPS + 1),
    });
    await result.consumeStream();
  };
}

function messagesOf(size: number): ModelMessage[] {
  return pastOf(size).flatMap(({ user, id, said }): ModelMessage[] => [
    { role: 'user', content: user },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: id, toolName: 'add', input: { a: 1, b: 2 } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: id,
          toolName: 'add',
          output: { type: 'json', value: 3 },
        },
      ],
    },
    { role: 'assistant', content: said },
  ]);
}
