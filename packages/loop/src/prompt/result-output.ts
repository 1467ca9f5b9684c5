import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { HistoryResult } from '../history/message.ts';
import type { PromptFile } from './prompt-files.ts';

export type ShownMedia = Extract<PromptFile, { readonly data: string }>;

/** A tool result in the provider's form. */
export function resultOutput(
  part: HistoryResult,
  media: readonly ShownMedia[],
  /** Notes about files that cannot be shown. */
  notes: readonly string[] = [],
): LanguageModelV4ToolResultOutput {
  const result = part.result ?? null;
  const said = typeof result === 'string' ? result : JSON.stringify(result);
  const text = [said, ...notes].join('\n');
  if (media.length > 0) {
    return {
      type: 'content',
      value: [
        ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
        ...media.map((file) => ({
          type: 'file' as const,
          data: { type: 'data' as const, data: file.data },
          mediaType: file.media_type,
          ...(file.name !== undefined && { filename: file.name }),
        })),
      ],
    };
  }
  if (typeof result === 'string' || notes.length > 0) {
    return { type: part.is_error === true ? 'error-text' : 'text', value: text };
  }
  return { type: part.is_error === true ? 'error-json' : 'json', value: result };
}
