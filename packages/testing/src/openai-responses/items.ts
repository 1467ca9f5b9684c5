import type { AnswerPart, FilePart, ToolCallPart, WebSearchPart } from '../parts.ts';
import type { EncodedItem, ItemPosition } from './item.ts';
import { joined, piecesToFrames } from '../frame.ts';
import { asObject } from '../json.ts';
import { frame } from './event.ts';
import { computerCall, isComputerCall } from './computer.ts';
import { asksFor, between } from './item.ts';
import { messageItem } from './message-item.ts';
import { reasoningItem } from './reasoning-item.ts';

export function encodeItem(part: AnswerPart, place: ItemPosition): EncodedItem {
  if (part.type === 'gate') return { frames: [part] };
  if (part.type === 'raw') return { frames: [frame(asObject(part.data))] };
  if (part.type === 'text') return messageItem(part, place);
  if (part.type === 'reasoning') return reasoningItem(part, place);
  if (part.type === 'tool-call') {
    return isComputerCall(part, place) ? computerCall(part, place) : functionCall(part, place);
  }
  if (part.type === 'web-search') return webSearchCall(part, place);
  return imageGenerationCall(part, place);
}

function functionCall(
  part: ToolCallPart,
  { outputIndex, status, context }: ItemPosition,
): EncodedItem {
  const id = context.ids('fc');
  const args = joined(part.pieces);
  const call = {
    id,
    type: 'function_call',
    status: 'in_progress',
    arguments: '',
    call_id: part.id ?? context.ids('call'),
    name: part.name,
  };
  const at = { item_id: id, output_index: outputIndex };
  const type = 'response.function_call_arguments';
  const deltas = piecesToFrames(part.pieces, (delta) =>
    frame({ type: `${type}.delta`, ...at, delta }),
  );
  const done = frame({ type: `${type}.done`, ...at, arguments: args });
  return between(outputIndex, call, [...deltas, done], { ...call, status, arguments: args });
}

function webSearchCall(part: WebSearchPart, { outputIndex, context }: ItemPosition): EncodedItem {
  const id = part.id ?? context.ids('ws');
  const call = { id, type: 'web_search_call', status: 'in_progress' };
  const phases = ['in_progress', 'searching', 'completed'].map((phase) =>
    frame({ type: `response.web_search_call.${phase}`, item_id: id, output_index: outputIndex }),
  );
  const sources = part.results.map(({ url }) => ({ type: 'url', url }));
  const action = {
    type: 'search',
    query: part.query,
    ...(asksFor(context, 'web_search_call.action.sources') && { sources }),
  };
  const status = part.error === undefined ? 'completed' : 'failed';
  return between(outputIndex, call, phases, { ...call, status, action });
}

function imageGenerationCall(part: FilePart, { outputIndex, context }: ItemPosition): EncodedItem {
  const id = part.id ?? context.ids('ig');
  const at = { item_id: id, output_index: outputIndex };
  const call = { id, type: 'image_generation_call', status: 'in_progress' };
  const phases = ['in_progress', 'generating'].map((phase) =>
    frame({ type: `response.image_generation_call.${phase}`, ...at }),
  );
  return between(outputIndex, call, phases, { ...call, status: 'completed', result: part.data });
}
