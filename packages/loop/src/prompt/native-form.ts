import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart as Call,
} from '@ai-sdk/provider';
import type { NativeTool } from '../tools/native-tool.ts';

/** A call that is not in the provider's own form is sent as an ordinary function call. */
const otherwise = (name: string) => `${name}_function`;

/** Converts calls and results of provider-defined tools to the provider's form. */
export function inNativeForm(
  prompt: LanguageModelV4Prompt,
  natives: ReadonlyMap<string, NativeTool>,
): LanguageModelV4Prompt {
  if (natives.size === 0) return prompt;
  const calls = new Map<string, Call>();
  return prompt.flatMap((message): LanguageModelV4Message[] => {
    if (message.role === 'assistant') {
      const content = message.content.map((part) => {
        const native = part.type === 'tool-call' ? natives.get(part.toolName) : undefined;
        if (part.type !== 'tool-call' || native === undefined) return part;
        if (!native.fits(part)) return { ...part, toolName: otherwise(part.toolName) };
        calls.set(part.toolCallId, part);
        return part;
      });
      return [{ ...message, content }];
    }
    if (message.role !== 'tool') return [message];
    const notes: string[] = [];
    const content = message.content.map((part) => {
      const native = part.type === 'tool-result' ? natives.get(part.toolName) : undefined;
      if (part.type !== 'tool-result' || native === undefined) return part;
      const call = calls.get(part.toolCallId);
      if (call === undefined) return { ...part, toolName: otherwise(part.toolName) };
      if (native.result === undefined) return part;
      const { output, note } = native.result(call, part.output);
      if (note !== undefined) notes.push(`[${part.toolName}, call ${part.toolCallId}] ${note}`);
      return { ...part, output };
    });
    const noteParts = notes.map((text) => ({ type: 'text' as const, text }));
    return [
      { ...message, content },
      ...(noteParts.length > 0 ? [{ role: 'user' as const, content: noteParts }] : []),
    ];
  });
}
