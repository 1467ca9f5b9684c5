import type { InputPart } from '@chatd/protocol';
import type { UIMessage } from 'ai';
import type { Client } from '../client.ts';

const OWN = /\/api\/v1\/files\/([0-9a-f-]{36})$/i;

/** The parts of a message that can be sent: text, and files, which are uploaded first. */
export async function contentOf(client: Client, { parts }: UIMessage): Promise<InputPart[]> {
  const content: InputPart[] = [];
  for (const part of parts) {
    if (part.type === 'text') content.push({ type: 'text', text: part.text });
    if (part.type !== 'file') continue;
    const [, known] = OWN.exec(part.url) ?? [];
    const file_id = known ?? (await upload(client, part));
    content.push({ type: 'file', file_id });
  }
  return content;
}

async function upload(
  client: Client,
  { url, mediaType, filename }: { url: string; mediaType: string; filename?: string },
): Promise<string> {
  // Typically a data: or blob: URL.
  const response = await fetch(url);
  const bytes = await response.blob();
  const { id } = await client.files.upload(bytes, { name: filename || 'file', type: mediaType });
  return id;
}
