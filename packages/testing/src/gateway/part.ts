import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';

const CONTENT = new Set(['text-delta', 'reasoning-delta', 'tool-input-delta', 'file']);

/** The gateway sends AI SDK stream parts as `data:` lines. */
export function frame(part: JsonObject): EventFrame {
  const said = part['type'] === 'file' || Boolean(part['delta']);
  return { type: 'event', data: part, part: CONTENT.has(String(part['type'])) && said };
}
