import { publicResult } from '@chatd/loop';
import { Part } from '@chatd/protocol';
import type { StoredPart } from '../chat/row.ts';
import { pick } from './pick.ts';

/** For each type of part, the fields that clients know: read off the protocol once, so that it cannot drift. */
const FIELDS = new Map<string, readonly string[]>(
  Part.options.map((option) => [option.shape.type.value, Object.keys(option.shape)]),
);

/** What the loop keeps beside (provider metadata, signatures, raw arguments) stays here. */
export function presentParts(content: readonly StoredPart[]): Part[] {
  return content.flatMap((part) => {
    // A block that only its provider understands stands in the history as a text without text.
    if (part['custom_kind'] !== undefined) return [];
    const fields = FIELDS.get(part.type);
    return fields === undefined ? [] : [withPublicResult(pick(part, fields))];
  });
}

/** The stored result of a provider-executed call holds fields that only the provider can read. */
function withPublicResult(part: Part): Part {
  if (part.type !== 'tool-result' || part.provider_executed !== true) return part;
  return part.result === undefined ? part : { ...part, result: publicResult(part.result) };
}
