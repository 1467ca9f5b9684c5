import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { hiddenNote } from '../media/notes.ts';
import { withoutToolBlocks } from '../providers/bedrock.ts';

type Part = Exclude<LanguageModelV4Message['content'], string>[number];
type TextPart = Extract<Part, { type: 'text' }>;

/** A text-only prompt, for a provider that rejects every other form of the history. */
export function plainText(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return withoutToolBlocks(prompt).flatMap((message): LanguageModelV4Message[] => {
    if (message.role === 'system' || message.role === 'tool') return [message];
    const content = (message.content as readonly Part[]).flatMap(textOf);
    return content.length === 0 ? [] : [{ role: message.role, content }];
  });
}

function textOf(part: Part): TextPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type !== 'file') return [];
  const file = { media_type: part.mediaType, name: part.filename };
  return [{ type: 'text', text: hiddenNote(file, 'files are omitted from this prompt') }];
}
