import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput as Output,
} from '@ai-sdk/provider';
import type { FileReferencePart } from '@chatd/protocol';
import { legalCallId } from '../history/call-ids.ts';
import { type HistoryMessage, SUMMARY_TOOL } from '../history/message.ts';
import type { Shown } from '../media/fit.ts';
import { hiddenNote } from '../media/notes.ts';
import type { Family } from '../providers/family.ts';
import { isGemini3 } from '../providers/google.ts';
import { isTextType } from '../providers/media-types.ts';
import type { MediaFile } from '../tools/media.ts';
import { type Conversion, isForeign } from './conversion.ts';
import { convertAssistant } from './convert-assistant.ts';
import { resultOutput } from './result-output.ts';
import { showFiles } from './show-files.ts';

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'];
type ShownFiles = ReadonlyMap<string, Shown>;

/** One message of the history as the provider takes it: mostly one, none when nothing is left. */
export function convertMessage(
  message: HistoryMessage,
  to: Conversion,
): LanguageModelV4Message[] | Promise<LanguageModelV4Message[]> {
  const files = showFiles(message, to);
  return files === undefined
    ? convertWith(message, to, new Map())
    : files.then((shown) => convertWith(message, to, shown));
}

function convertWith(
  message: HistoryMessage,
  to: Conversion,
  files: ShownFiles,
): LanguageModelV4Message[] {
  switch (message.role) {
    case 'system': {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return text.trim() === '' ? [] : [{ role: 'system', content: text }];
    }
    case 'user': {
      const content = withText(userContent(message, to, files), to.family);
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    case 'assistant': {
      const content = convertAssistant(message, to, files);
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'tool':
      return toolMessages(message, to, files);
  }
}

function userContent(message: HistoryMessage, to: Conversion, files: ShownFiles): UserContent {
  return message.content.flatMap((part): UserContent => {
    if (part.type === 'text')
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'file-reference') return [{ type: 'text', text: referenceText(part) }];
    const shown = part.type === 'file' ? files.get(part.file_id) : undefined;
    return shown === undefined ? [] : [filePart(shown)];
  });
}

/** Bedrock refuses documents without text beside them. */
function withText(content: UserContent, family: Family): UserContent {
  const isBare =
    family === 'bedrock' &&
    content.every((part) => part.type === 'file') &&
    content.some((part) => part.mediaType.startsWith('application/'));
  return isBare ? [{ type: 'text', text: '[attached files]' }, ...content] : content;
}

const referenceText = ({ file_name, start_line, end_line, content }: FileReferencePart) =>
  `[${file_name}, lines ${start_line}-${end_line}]\n${content}`;

/** Text goes as text: most providers take nothing but images and PDF as files. */
function filePart(shown: Shown): UserContent[number] {
  if ('note' in shown) return { type: 'text', text: shown.note };
  const { data, media_type, name } = shown.file;
  if (isTextType(media_type)) {
    return {
      type: 'text',
      text: `[${name ?? 'attached file'}]\n${new TextDecoder().decode(data)}`,
    };
  }
  return { ...mediaPart(shown.file), ...(name !== undefined && { filename: name }) };
}

/** Chat Completions and Gemini 2 take no files in the result of a tool: they follow as the user's. */
const takesMediaInResults = ({ family, model }: Conversion): boolean =>
  family === 'google' ? isGemini3(model) : family !== 'other' && family !== 'openrouter';

/** Bedrock refuses a result that says nothing. */
function spoken(output: Output, family: Family): Output {
  const silent = (output.type === 'text' || output.type === 'error-text') && !output.value.trim();
  return silent && family === 'bedrock' ? { type: output.type, value: '(no output)' } : output;
}

function toolMessages(
  message: HistoryMessage,
  to: Conversion,
  files: ShownFiles,
): LanguageModelV4Message[] {
  const foreign = isForeign(message, to);
  const content: ToolContent = [];
  const images: UserContent = [];
  for (const part of message.content) {
    if (part.type !== 'tool-result' || part.tool_name === SUMMARY_TOOL) continue;
    const all = (part.file_ids ?? []).flatMap((id) => files.get(id) ?? []).map(inResult);
    const media = all.flatMap((shown) => ('file' in shown ? [shown.file] : []));
    const notes = all.flatMap((shown) => ('note' in shown ? [shown.note] : []));
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

/** A video among a tool's results is a recording for people: too much to send again with every step. */
function inResult(shown: Shown): Shown {
  if ('note' in shown) return shown;
  const { file } = shown;
  const isLeftOut = file.media_type.startsWith('video/') || isTextType(file.media_type);
  return isLeftOut ? { note: hiddenNote(file, `it is ${file.media_type}`) } : shown;
}

const mediaPart = (file: MediaFile): Extract<UserContent[number], { type: 'file' }> => ({
  type: 'file',
  data: { type: 'data', data: file.data },
  mediaType: file.media_type,
});
