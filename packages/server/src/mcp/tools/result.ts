import { Media, type MediaFile, mediaTypeOf, type ToolOutput } from '@chatd/loop';
import { FILE_BYTES_LIMIT, type Json } from '@chatd/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { omitBase64 } from './omit-base64.ts';

/** The tool reported a failure. */
class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/**
 * Converts a result for the model. `content` is written for models; servers repeat it in `structuredContent` for
 * programs, which is used only if `content` is empty.
 */
export function asOutput(result: CallToolResult): ToolOutput {
  const read = result.content.map(readable);
  const files = read.flatMap(({ file }) => file ?? []);
  const text = omitBase64(read.flatMap(({ text: line }) => line ?? []).join('\n')).trim();
  const isEmpty = text === '' && files.length === 0;
  const structured = isEmpty ? structuredOf(result) : undefined;
  if (result.isError === true) {
    const reason = structured === undefined ? text : JSON.stringify(structured);
    throw new ToolFailed(reason === '' ? 'The tool failed without giving a reason.' : reason);
  }
  return files.length > 0 ? new Media(files, text) : (structured ?? text);
}

/** Without base64, because servers also put the bytes of files there. */
function structuredOf({ structuredContent }: CallToolResult): Json | undefined {
  if (structuredContent === undefined) return undefined;
  const shortened = JSON.stringify(structuredContent, (_, value: unknown) =>
    typeof value === 'string' ? omitBase64(value) : value,
  );
  return JSON.parse(shortened) as Json;
}

interface Readable {
  readonly text?: string;
  readonly file?: MediaFile;
}

function readable(block: ContentBlock): Readable {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'image':
      return binary('image', block.mimeType, block.data);
    case 'audio':
      return binary('audio', block.mimeType, block.data);
    case 'resource_link': {
      const { name, uri, mimeType, description } = block;
      const type = mimeType === undefined ? '' : `, ${mimeType}`;
      const about = description === undefined ? '' : `: ${description}`;
      return { text: `[resource ${name} <${uri}>${type}${about}]` };
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { text: `[resource <${resource.uri}>]\n${resource.text}` };
      return binary(resource.uri.slice(0, 200), resource.mimeType, resource.blob);
    }
  }
}

/** A file with the type of its bytes. Models that do not support the type see a note; users can download it. */
function binary(what: string, mediaType = 'application/octet-stream', data: string): Readable {
  const bytes = Buffer.from(data, 'base64');
  const type = mediaTypeOf({ data: bytes, media_type: mediaType.toLowerCase() });
  if (isText(type)) return { text: `[${what}]\n${bytes.toString('utf8')}` };
  if (bytes.length === 0 || bytes.length > FILE_BYTES_LIMIT || !isMediaType(type)) {
    return { text: `[${what} cannot be shown: ${mediaType}, ${bytes.length} bytes]` };
  }
  return { file: { data: bytes, media_type: type, name: what } };
}

const isText = (type: string) =>
  /^text\/|^image\/svg\b|^application\/(?:json|xml|yaml|x-yaml|javascript|toml)\b/.test(type);

const isMediaType = (type: string) => /^[a-z]+\/[a-z0-9!#$&^_.+-]{1,100}$/.test(type);
