import { fileURLToPath } from 'node:url';
import type { ContentBlock, EmbeddedResource } from '@agentclientprotocol/sdk';
import type { Client } from '@chatd/client';
import type { InputPart } from '@chatd/protocol';

/** A prompt of the editor as the content of a message. Images and other binary data are uploaded. */
export async function messageContent(
  client: Client,
  prompt: readonly ContentBlock[],
): Promise<InputPart[]> {
  const upload = async (name: string, data: string, type: string): Promise<InputPart> => {
    const { id } = await client.files.upload(Uint8Array.from(Buffer.from(data, 'base64')), {
      name,
      type,
    });
    return { type: 'file', file_id: id };
  };
  return await Promise.all(
    prompt.map(async (block): Promise<InputPart> => {
      switch (block.type) {
        case 'text':
          return { type: 'text', text: block.text };
        case 'image':
        case 'audio':
          return await upload(block.type, block.data, block.mimeType);
        case 'resource_link':
          return { type: 'text', text: `[${block.name}](${block.uri})` };
        case 'resource': {
          const { resource } = block;
          if ('text' in resource) return reference(resource);
          const type = resource.mimeType ?? 'application/octet-stream';
          return await upload(nameOf(resource.uri), resource.blob, type);
        }
      }
    }),
  );
}

/** The text of a prompt, for commands and answers. */
export const promptText = (prompt: readonly ContentBlock[]): string =>
  prompt
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();

function reference({
  uri,
  text,
}: Extract<EmbeddedResource['resource'], { text: string }>): InputPart {
  const [, first = '1'] = /#L(\d+)/.exec(uri) ?? [];
  const start_line = Number(first);
  const lines = text.replace(/\n$/, '').split('\n').length;
  const end_line = start_line + lines - 1;
  return { type: 'file-reference', file_name: nameOf(uri), start_line, end_line, content: text };
}

function nameOf(uri: string): string {
  const [bare = ''] = uri.split('#');
  const name = bare.startsWith('file://') && URL.canParse(bare) ? pathOf(bare) : uri;
  return name.slice(-1024) || 'file';
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    // A file on another host.
    return uri;
  }
}
