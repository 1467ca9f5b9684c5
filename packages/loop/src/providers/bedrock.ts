import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

/**
 * Bedrock rejects calls and results in a request without tools, and its package drops them: the prompt could then end
 * with a model message, which is rejected, or lack results. Therefore they are converted to text.
 */
export function withoutToolBlocks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role === 'assistant') {
      const content = message.content.map((part) =>
        part.type === 'tool-call'
          ? asText(`[${part.toolName} was called with ${JSON.stringify(part.input)}]`)
          : part,
      );
      return { ...message, content };
    }
    if (message.role !== 'tool') return message;
    const content = message.content.flatMap((part): UserContent => {
      if (part.type !== 'tool-result') return [];
      return [asText(`[${part.toolName} returned:]`), ...saidBy(part.output)];
    });
    return { ...message, role: 'user', content };
  });
}

const asText = (text: string) => ({ type: 'text' as const, text });

function saidBy(output: LanguageModelV4ToolResultOutput): UserContent {
  switch (output.type) {
    case 'content':
      return output.value.flatMap((part): UserContent => {
        if (part.type === 'text') return [asText(part.text)];
        return part.type === 'file' ? [part] : [];
      });
    case 'json':
    case 'error-json':
      return [asText(JSON.stringify(output.value))];
    case 'text':
    case 'error-text':
      return [asText(output.value)];
    case 'execution-denied':
      return [asText(output.reason ?? 'It was not allowed to run.')];
  }
}
