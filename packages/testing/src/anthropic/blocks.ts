import type { EventFrame, StreamFrame } from '../frame.ts';
import type { Ids } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type {
  AnswerPart,
  Citation,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  WebSearchPart,
} from '../parts.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { asObject, asText } from '../json.ts';
import { frame } from './event.ts';

interface Blocks {
  frames: StreamFrame[];
  /** The number of content blocks. */
  count: number;
}

/** The content blocks of one part, starting at `index`. */
export function encodeBlocks(
  part: AnswerPart,
  index: number,
  ids: Ids,
  tools: readonly JsonObject[] = [],
): Blocks {
  if (part.type === 'gate') return { frames: [part], count: 0 };
  if (part.type === 'raw') return { frames: [frame(asObject(part.data))], count: 0 };
  if (part.type === 'text') return one(index, textStart(part), textDeltas(part, index, ids));
  if (part.type === 'reasoning') return reasoning(part, index, ids);
  if (part.type === 'tool-call') {
    return isOfToolset(part, tools) ? memberUse(part, index, ids) : toolUse(part, index, ids);
  }
  if (part.type === 'web-search') return search(part, index, ids);
  throw new TypeError('Anthropic has no wire form for a generated file');
}

function delta(index: number, delta: JsonObject): EventFrame {
  return frame({ type: 'content_block_delta', index, delta });
}

function one(index: number, block: JsonObject, deltas: StreamFrame[]): Blocks {
  const start = frame({ type: 'content_block_start', index, content_block: block });
  const stop = frame({ type: 'content_block_stop', index });
  return { frames: [start, ...deltas, stop], count: 1 };
}

function textStart(part: TextPart): JsonObject {
  const cited = part.citations.length > 0;
  return { ...(cited && { citations: [] }), type: 'text', text: '' };
}

function textDeltas(part: TextPart, index: number, ids: Ids): StreamFrame[] {
  const citations = part.citations.map((citation) =>
    delta(index, { type: 'citations_delta', citation: location(citation, ids) }),
  );
  const words = piecesToFrames(part.pieces, (text) => delta(index, { type: 'text_delta', text }));
  return [...citations, ...words];
}

function location(citation: Citation, ids: Ids): JsonObject {
  return {
    type: 'web_search_result_location',
    cited_text: citation.citedText ?? '',
    url: citation.url,
    title: citation.title ?? null,
    encrypted_index: ids('encrypted_index'),
  };
}

function reasoning(part: ReasoningPart, index: number, ids: Ids): Blocks {
  if (part.redacted !== undefined) {
    return one(index, { type: 'redacted_thinking', data: part.redacted }, []);
  }
  const deltas = piecesToFrames(part.pieces, (piece) =>
    delta(index, { type: 'thinking_delta', thinking: piece }),
  );
  const signature = part.signature === undefined ? ids('signature') : part.signature;
  if (signature !== null) deltas.push(delta(index, { type: 'signature_delta', signature }));
  return one(index, { type: 'thinking', thinking: '', signature: '' }, deltas);
}

function toolUse(part: ToolCallPart, index: number, ids: Ids): Blocks {
  const start = { type: 'tool_use', id: part.id ?? ids('toolu'), name: part.name, input: {} };
  return one(index, start, argumentDeltas(part, index));
}

const isOfToolset = ({ name }: ToolCallPart, tools: readonly JsonObject[]) =>
  name === 'computer' && tools.some(({ type }) => asText(type).startsWith('computer_toolset_'));

/** Each action of the computer toolset is a separate tool. */
function memberUse(part: ToolCallPart, index: number, ids: Ids): Blocks {
  const { action, ...rest } = asObject(JSON.parse(joined(part.pieces)));
  const id = part.id ?? ids('toolu');
  const start = { type: 'tool_use', id, name: asText(action), toolset_name: 'computer', input: {} };
  return one(index, start, argumentDeltas({ pieces: [JSON.stringify(rest)] }, index));
}

/** The service starts every call with an empty delta. */
function argumentDeltas(part: Pick<ToolCallPart, 'pieces'>, index: number): StreamFrame[] {
  const opening = delta(index, { type: 'input_json_delta', partial_json: '' });
  // A call without arguments has only the empty delta.
  if (joined(part.pieces) === '{}') return [opening];
  const rest = piecesToFrames(part.pieces, (piece) =>
    delta(index, { type: 'input_json_delta', partial_json: piece }),
  );
  return [opening, ...rest];
}

function search(part: WebSearchPart, index: number, ids: Ids): Blocks {
  const id = part.id ?? ids('srvtoolu');
  const use = { type: 'server_tool_use', id, name: 'web_search', input: {} };
  const query = JSON.stringify({ query: part.query });
  const results = part.results.map((result) => ({
    type: 'web_search_result',
    title: result.title ?? '',
    url: result.url,
    encrypted_content: result.encryptedContent ?? ids('encrypted_content'),
    page_age: result.pageAge ?? null,
  }));
  const content =
    part.error === undefined
      ? results
      : { type: 'web_search_tool_result_error', error_code: part.error };
  const result = { type: 'web_search_tool_result', tool_use_id: id, content };
  const call = one(index, use, argumentDeltas({ pieces: [query] }, index));
  return { frames: [...call.frames, ...one(index + 1, result, []).frames], count: 2 };
}
