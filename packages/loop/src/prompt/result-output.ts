import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { HistoryResult } from '../history/message.ts';
import type { MediaFile } from '../tools/media.ts';

/** A tool's result as the provider takes it. */
export function resultOutput(
  part: HistoryResult,
  media: readonly MediaFile[],
): LanguageModelV4ToolResultOutput {
  const result = part.result ?? null;
  if (media.length > 0) {
    const text = typeof result === 'string' ? result : JSON.stringify(result);
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
  if (typeof result === 'string') {
    return { type: part.is_error === true ? 'error-text' : 'text', value: result };
  }
  return { type: part.is_error === true ? 'error-json' : 'json', value: result };
}
