import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

/**
 * Bedrock takes no calls and results unless there are tools, and its package leaves them out: the prompt may then end
 * with the model's own words, which is refused, or lack what was found out. So they are told in words.
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
