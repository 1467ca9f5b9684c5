import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput as Output,
} from '@ai-sdk/provider';
import type { FileReferencePart } from '@chatd/protocol';
import { legalCallId } from '../history/call-ids.ts';
import { type HistoryFile, type HistoryMessage, SUMMARY_TOOL } from '../history/message.ts';
import type { Family } from '../providers/family.ts';
import { takesMedia, unseen } from '../providers/media-types.ts';
import type { MediaFile } from '../tools/media.ts';
import { type Conversion, isForeign } from './conversion.ts';
import { convertAssistant } from './convert-assistant.ts';
import { resultOutput } from './result-output.ts';

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'];
type LoadedFiles = ReadonlyMap<string, MediaFile>;

/** One message of the history as the provider takes it: mostly one, none when nothing is left. */
export function convertMessage(
  message: HistoryMessage,
  to: Conversion,
): LanguageModelV4Message[] | Promise<LanguageModelV4Message[]> {
  const ids = fileIds(message);
  if (ids.length === 0) return convertWith(message, to, new Map());
  return Promise.all(ids.map(async (id) => [id, await to.files.load(id)] as const)).then((files) =>
    convertWith(message, to, new Map(files)),
  );
}

function fileIds(message: HistoryMessage): string[] {
  return message.content.flatMap((part) => {
    if (part.type === 'file') return [part.file_id];
    return part.type === 'tool-result' ? (part.file_ids ?? []) : [];
  });
}

function convertWith(
  message: HistoryMessage,
  to: Conversion,
  files: LoadedFiles,
): LanguageModelV4Message[] {
  switch (message.role) {
    case 'system': {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return text.trim() === '' ? [] : [{ role: 'system', content: text }];
    }
    case 'user': {
      const content = userContent(message, to, files);
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

function userContent(message: HistoryMessage, to: Conversion, files: LoadedFiles): UserContent {
  return message.content.flatMap((part): UserContent => {
    if (part.type === 'text')
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'file-reference') return [{ type: 'text', text: referenceText(part) }];
    const file = part.type === 'file' ? files.get(part.file_id) : undefined;
    return part.type === 'file' && file !== undefined ? [filePart(part, file, to.family)] : [];
  });
}

const referenceText = ({ file_name, start_line, end_line, content }: FileReferencePart) =>
  `[${file_name}, lines ${start_line}-${end_line}]\n${content}`;

const isText = (mediaType: string) =>
  /^text\/|^image\/svg\b|^application\/(?:json|xml|yaml|x-yaml|javascript|toml)\b/.test(mediaType);

/** Text goes as text: most providers take nothing but images and PDF as files. */
function filePart(part: HistoryFile, file: MediaFile, family: Family): UserContent[number] {
  const name = part.name ?? file.name;
  if (isText(part.media_type)) {
    const text = new TextDecoder().decode(file.data);
    return { type: 'text', text: `[${name ?? 'attached file'}]\n${text}` };
  }
  if (!takesMedia(family, part.media_type)) {
    return { type: 'text', text: unseen(part.media_type, name) };
  }
  return {
    type: 'file',
    data: { type: 'data', data: file.data },
    mediaType: part.media_type,
    ...(name !== undefined && { filename: name }),
  };
}

/** Chat Completions takes no images in a tool message: they follow as the user's. */
const takesMediaInResults = (family: Family): boolean =>
  family !== 'other' && family !== 'openrouter';

/** Bedrock refuses a result that says nothing. */
function spoken(output: Output, family: Family): Output {
  const silent = (output.type === 'text' || output.type === 'error-text') && !output.value.trim();
  return silent && family === 'bedrock' ? { type: output.type, value: '(no output)' } : output;
}

function toolMessages(
  message: HistoryMessage,
  to: Conversion,
  files: LoadedFiles,
): LanguageModelV4Message[] {
  const foreign = isForeign(message, to);
  const content: ToolContent = [];
  const images: UserContent = [];
  for (const part of message.content) {
    if (part.type !== 'tool-result' || part.tool_name === SUMMARY_TOOL) continue;
    const all = (part.file_ids ?? []).flatMap((id) => files.get(id) ?? []);
    const media = all.filter((file) => isShown(to.family, file));
    const notes = all
      .filter((file) => !media.includes(file))
      .map((file) => unseen(file.media_type, file.name));
    const inline = takesMediaInResults(to.family) || media.length === 0;
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

/** A video among a tool's results is a recording for people: too much to be sent again with every step. */
const isShown = (family: Family, { media_type }: MediaFile): boolean =>
  !media_type.startsWith('video/') && takesMedia(family, media_type);

const mediaPart = (file: MediaFile): UserContent[number] => ({
  type: 'file',
  data: { type: 'data', data: file.data },
  mediaType: file.media_type,
});
