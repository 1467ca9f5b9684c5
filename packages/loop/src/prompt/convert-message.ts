import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput as Output,
} from '@ai-sdk/provider';
import type { FileReferencePart } from '@chatd/protocol';
import { legalCallId } from '../history/call-ids.ts';
import { type HistoryMessage, SUMMARY_TOOL } from '../history/message.ts';
import { repeatedNote } from '../media/notes.ts';
import type { Family } from '../providers/family.ts';
import { isGemini3 } from '../providers/google.ts';
import { type Conversion, isForeign } from './conversion.ts';
import { convertAssistant } from './convert-assistant.ts';
import type { MessageFiles, PromptFile } from './prompt-files.ts';
import { resultOutput, type ShownMedia } from './result-output.ts';

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'];

/** Converts a message of the history. Usually one message, none if nothing is left. */
export function convertMessage(
  message: HistoryMessage,
  to: Conversion,
  files: MessageFiles,
): LanguageModelV4Message[] {
  switch (message.role) {
    case 'system': {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return text.trim() === '' ? [] : [{ role: 'system', content: text }];
    }
    case 'user': {
      const content = withText(userContent(message, files), to.family);
      return content.length === 0 ? [] : [{ role: 'user', content: named(message, content) }];
    }
    case 'assistant': {
      const content = convertAssistant(message, to, files);
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'tool':
      return toolMessages(message, to, files);
  }
}

function userContent(message: HistoryMessage, files: MessageFiles): UserContent {
  const shown = new Set<string>();
  return message.content.flatMap((part): UserContent => {
    if (part.type === 'text')
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'file-reference') return [{ type: 'text', text: referenceText(part) }];
    const file = part.type === 'file' ? files.get(part.file_id) : undefined;
    if (part.type !== 'file' || file === undefined) return [];
    if (shown.has(part.file_id)) return [{ type: 'text', text: repeatedNote(part.name) }];
    shown.add(part.file_id);
    return [filePart(file)];
  });
}

/** The form of a message does not depend on later ones, so that a second person leaves the cached prompt valid. */
function named({ meta }: HistoryMessage, content: UserContent): UserContent {
  if (meta?.author === undefined) return content;
  const text = `[Message from ${meta.author}. Messages without a name are from the owner of this chat.]`;
  return [{ type: 'text', text }, ...content];
}

/** Bedrock rejects documents without accompanying text. */
function withText(content: UserContent, family: Family): UserContent {
  const isBare =
    family === 'bedrock' &&
    content.every((part) => part.type === 'file') &&
    content.some((part) => part.mediaType.startsWith('application/'));
  return isBare ? [{ type: 'text', text: '[attached files]' }, ...content] : content;
}

const referenceText = ({ file_name, start_line, end_line, content }: FileReferencePart) =>
  `[${file_name}, lines ${start_line}-${end_line}]\n${content}`;

/** Text files are sent as text: most providers accept only images and PDF as files. */
function filePart(file: PromptFile): UserContent[number] {
  if ('note' in file) return { type: 'text', text: file.note };
  if ('text' in file) return { type: 'text', text: file.text };
  return { ...mediaPart(file), ...(file.name !== undefined && { filename: file.name }) };
}

/** Chat Completions and Gemini 2 accept no files in tool results, so the files follow in a user message. */
const takesMediaInResults = ({ family, model }: Conversion): boolean =>
  family === 'google' ? isGemini3(model) : family !== 'other' && family !== 'openrouter';

/** Bedrock rejects an empty result. */
function spoken(output: Output, family: Family): Output {
  const silent = (output.type === 'text' || output.type === 'error-text') && !output.value.trim();
  return silent && family === 'bedrock' ? { type: output.type, value: '(no output)' } : output;
}

function toolMessages(
  message: HistoryMessage,
  to: Conversion,
  files: MessageFiles,
): LanguageModelV4Message[] {
  const foreign = isForeign(message, to);
  const content: ToolContent = [];
  const images: UserContent = [];
  const shown = new Set<string>();
  for (const part of message.content) {
    if (part.type !== 'tool-result' || part.tool_name === SUMMARY_TOOL) continue;
    const media: ShownMedia[] = [];
    const notes: string[] = [];
    for (const id of part.file_ids ?? []) {
      const file = files.get(id);
      if (file === undefined || 'text' in file) continue;
      if ('note' in file) notes.push(file.note);
      else if (shown.has(id)) notes.push(repeatedNote(file.name));
      else media.push(file);
      shown.add(id);
    }
    const inline = takesMediaInResults(to) || media.length === 0;
    if (!inline) {
      images.push({
        type: 'text',
        text: `[files of ${part.tool_name}, call ${part.tool_call_id}]`,
      });
      for (const file of media) images.push(mediaPart(file));
    }
    content.push({
      type: 'tool-result',
      toolCallId: legalCallId(part.tool_call_id),
      toolName: to.names.toProvider(part.tool_name),
      output: spoken(resultOutput(part, inline ? media : [], notes), to.family),
      ...(!foreign && part.provider_metadata && { providerOptions: part.provider_metadata }),
    });
  }
  return [
    ...(content.length === 0 ? [] : [{ role: 'tool' as const, content }]),
    ...(images.length === 0 ? [] : [{ role: 'user' as const, content: images }]),
  ];
}

const mediaPart = (file: ShownMedia): Extract<UserContent[number], { type: 'file' }> => ({
  type: 'file',
  data: { type: 'data', data: file.data },
  mediaType: file.media_type,
});
