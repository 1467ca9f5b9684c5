import { Media, type MediaFile, mediaTypeOf, type ToolOutput } from '@chatd/loop';
import { FILE_BYTES_LIMIT, type Json } from '@chatd/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** A tool that says itself that it failed. */
class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

/** What a tool of a server answered, as the model gets it. */
export function asOutput(result: CallToolResult): ToolOutput {
  const read = result.content.map(readable);
  const files = read.flatMap(({ file }) => file ?? []);
  const text = read
    .flatMap(({ text: line }) => line ?? [])
    .join('\n')
    .trim();
  const structured = result.structuredContent as Json | undefined;
  if (result.isError === true) {
    const more = text === '' && structured !== undefined ? JSON.stringify(structured) : text;
    throw new ToolFailed(more === '' ? 'The tool failed, and did not say why.' : more);
  }
  if (files.length > 0) return new Media(files, withStructured(text, structured));
  if (structured === undefined) return text;
  return text === '' || isSame(text, structured) ? structured : withStructured(text, structured);
}

/** Servers repeat what is structured as text, for clients that know only text. */
function isSame(text: string, structured: Json): boolean {
  try {
    return JSON.stringify(sorted(JSON.parse(text))) === JSON.stringify(sorted(structured));
  } catch {
    return false;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}

const withStructured = (text: string, structured: Json | undefined): string =>
  structured === undefined || isSame(text, structured)
    ? text
    : [text, JSON.stringify(structured)].filter((part) => part !== '').join('\n');

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

/** A file of the type that its bytes have. A model that does not take it reads a note; the user can download it. */
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
