import type { LanguageModelV4Message, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { createAnthropic } from '@ai-sdk/anthropic';
import { add, MODEL, QUESTION, type Subject, SYSTEM } from './subject.ts';

const ADD = {
  type: 'function' as const,
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object' as const,
    properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
    required: ['a', 'b'],
  },
};

/** The provider package with a minimal loop: no storage, guards or retries. */
export const doStream: Subject = {
  async run(baseURL) {
    const model = createAnthropic({ baseURL, apiKey: 'any' })(MODEL);
    const prompt: LanguageModelV4Message[] = [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: [{ type: 'text', text: QUESTION }] },
    ];
    let all = '';
    for (;;) {
      const { text, calls } = await step(model, prompt);
      all += text;
      if (calls.length === 0) return all;
      prompt.push(said(text, calls), { role: 'tool', content: calls.map(answered) });
    }
  },
};

async function step(
  model: ReturnType<ReturnType<typeof createAnthropic>>,
  prompt: LanguageModelV4Message[],
): Promise<{ text: string; calls: LanguageModelV4ToolCall[] }> {
  const { stream } = await model.doStream({ prompt, tools: [ADD], maxOutputTokens: 4_096 });
  const reader = stream.getReader();
  const calls: LanguageModelV4ToolCall[] = [];
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text, calls };
    if (value.type === 'text-delta') text += value.delta;
    if (value.type === 'tool-call') calls.push(value);
    if (value.type === 'error') throw value.error;
  }
}

function said(text: string, calls: readonly LanguageModelV4ToolCall[]): LanguageModelV4Message {
  const made = calls.map(({ toolCallId, toolName, input }) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName,
    input: JSON.parse(input) as unknown,
  }));
  return { role: 'assistant', content: [{ type: 'text', text }, ...made] };
}

function answered({ toolCallId, toolName, input }: LanguageModelV4ToolCall) {
  const value = add(JSON.parse(input) as { a: number; b: number });
  return {
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'json' as const, value },
  };
}
