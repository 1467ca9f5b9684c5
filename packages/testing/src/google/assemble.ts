import type { JsonObject } from '../json.ts';
import { asText, objects } from '../json.ts';
import { partsOf } from './chunk.ts';

/** Folds the chunks of a stream into a response. */
export function assemble(events: readonly JsonObject[]): JsonObject {
  const parts: JsonObject[] = [];
  for (const part of events.flatMap((event) => partsOf(event))) {
    const last = parts.at(-1);
    if (last && continues(last, part)) last['text'] = asText(last['text']) + asText(part['text']);
    else if (part['text'] !== '' || 'thoughtSignature' in part) parts.push({ ...part });
  }
  const final = events.at(-1) ?? {};
  const [ending] = objects(final['candidates']);
  return {
    ...final,
    candidates: [{ ...ending, content: { parts, role: 'model' }, index: 0 }],
  };
}

function continues(before: JsonObject, part: JsonObject): boolean {
  const plain = !('thoughtSignature' in before) && !('thoughtSignature' in part);
  return 'text' in before && 'text' in part && before['thought'] === part['thought'] && plain;
}
