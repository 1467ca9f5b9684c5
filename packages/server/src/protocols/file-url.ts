import { API_PREFIX } from '@chatd/protocol';

type DecodedFile =
  | { readonly fileId: string }
  | { readonly mediaType: string; readonly bytes: Buffer };

const OWN = new RegExp(`^(?:https?://[^/]+)?${API_PREFIX}/files/([0-9a-f-]{36})$`, 'i');
const DATA = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** A file of this server or a data URL. Undefined for other URLs. */
export function decodeFileUrl(url: string): DecodedFile | undefined {
  const [, fileId] = OWN.exec(url) ?? [];
  if (fileId !== undefined) return { fileId };
  const [head, mediaType, parameters] = DATA.exec(url) ?? [];
  if (head === undefined) return undefined;
  const data = url.slice(head.length);
  const isBase64 = parameters?.toLowerCase().endsWith(';base64') === true;
  try {
    const bytes = isBase64 ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
    return { mediaType: mediaType || 'text/plain', bytes };
  } catch {
    return undefined;
  }
}
