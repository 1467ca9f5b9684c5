import type { StreamFrame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { WebSearchPart } from '../parts.ts';
import type { Vendor } from './vendor.ts';
import { frame } from './part.ts';

/** A vendor's own search; Google reports only its results. */
export function searchParts(part: WebSearchPart, vendor: Vendor, ids: Ids): StreamFrame[] {
  const sources = part.results.map(({ url, title }) =>
    frame({ type: 'source', sourceType: 'url', id: ids('source'), url, title: title ?? '' }),
  );
  if (vendor !== 'anthropic' && vendor !== 'openai') return sources;
  const toolCallId = part.id ?? ids(vendor === 'anthropic' ? 'srvtoolu' : 'ws');
  const input = vendor === 'anthropic' ? JSON.stringify({ query: part.query }) : '{}';
  const call = { toolName: 'web_search', providerExecuted: true };
  const result = vendor === 'anthropic' ? pages(part, ids) : action(part);
  return [
    frame({ type: 'tool-input-start', id: toolCallId, ...call }),
    frame({ type: 'tool-input-delta', id: toolCallId, delta: input }),
    frame({ type: 'tool-input-end', id: toolCallId }),
    frame({ type: 'tool-call', toolCallId, input, ...call }),
    frame({ type: 'tool-result', toolCallId, toolName: 'web_search', result }),
    ...sources,
  ];
}

function pages({ results }: WebSearchPart, ids: Ids): JsonObject[] {
  return results.map(({ url, title, pageAge, encryptedContent }) => ({
    type: 'web_search_result',
    url,
    title: title ?? '',
    pageAge: pageAge ?? null,
    encryptedContent: encryptedContent ?? ids('encrypted_content'),
  }));
}

function action({ query, results }: WebSearchPart): JsonObject {
  return {
    action: { type: 'search', query },
    sources: results.map(({ url }) => ({ type: 'url', url })),
  };
}
