import type { JsonObject } from '../json.ts';
import { asObject, asText, objects } from '../json.ts';

type Block = JsonObject & { arguments?: string };

/** Folds the events of a stream into a message. */
export function assemble(events: readonly JsonObject[]): JsonObject {
  let message: JsonObject = {};
  const blocks: Block[] = [];
  for (const event of events) {
    const index = Number(event['index'] ?? 0);
    switch (event['type']) {
      case 'message_start':
        message = { ...asObject(event['message']) };
        break;
      case 'content_block_start':
        blocks[index] = { ...asObject(event['content_block']) };
        break;
      case 'content_block_delta':
        extend(blocks[index] ?? {}, asObject(event['delta']));
        break;
      case 'message_delta':
        message = {
          ...message,
          ...asObject(event['delta']),
          usage: { ...asObject(message['usage']), ...asObject(event['usage']) },
        };
        break;
      default:
        break;
    }
  }
  return { ...message, content: blocks.map(finished) };
}

function extend(block: Block, delta: JsonObject): void {
  switch (delta['type']) {
    case 'text_delta':
      block['text'] = asText(block['text']) + asText(delta['text']);
      break;
    case 'thinking_delta':
      block['thinking'] = asText(block['thinking']) + asText(delta['thinking']);
      break;
    case 'signature_delta':
      block['signature'] = delta['signature'];
      break;
    case 'citations_delta':
      block['citations'] = [...objects(block['citations']), delta['citation']];
      break;
    case 'input_json_delta':
      block.arguments = (block.arguments ?? '') + asText(delta['partial_json']);
      break;
    default:
      break;
  }
}

function finished({ arguments: json, ...block }: Block): JsonObject {
  return json === undefined || json === '' ? block : { ...block, input: JSON.parse(json) };
}
