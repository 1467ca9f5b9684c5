import type { JsonObject } from '../json.ts';
import { asText, isObject, objects } from '../json.ts';

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** Folds the chunks of a stream into a completion. */
export function assemble(events: readonly JsonObject[]): JsonObject {
  const message: JsonObject = { role: 'assistant', content: null, refusal: null };
  const calls: Call[] = [];
  let finish: unknown = null;
  let usage: unknown = null;
  for (const event of events) {
    usage = event['usage'] ?? usage;
    for (const choice of objects(event['choices'])) {
      finish = choice['finish_reason'] ?? finish;
      if (isObject(choice['delta'])) extend(message, calls, choice['delta']);
    }
  }
  if (calls.length > 0) message['tool_calls'] = calls.map(wholeCall);
  const { choices: _choices, usage: _usage, ...head } = events[0] ?? {};
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage,
  };
}

function extend(message: JsonObject, calls: Call[], delta: JsonObject): void {
  for (const field of ['content', 'reasoning_content', 'reasoning']) {
    if (delta[field]) message[field] = asText(message[field]) + asText(delta[field]);
  }
  if (delta['reasoning_details']) {
    const details = [
      ...objects(message['reasoning_details']),
      ...objects(delta['reasoning_details']),
    ];
    message['reasoning_details'] = details.reduce(withDetail, []);
  }
  if (delta['annotations']) message['annotations'] = delta['annotations'];
  for (const piece of objects(delta['tool_calls'])) {
    const call = (calls[Number(piece['index'])] ??= { id: '', name: '', arguments: '' });
    const called = isObject(piece['function']) ? piece['function'] : {};
    call.id ||= asText(piece['id']);
    call.name ||= asText(called['name']);
    call.arguments += asText(called['arguments']);
  }
}

/** Merges a detail that continues the previous one. */
function withDetail(details: JsonObject[], detail: JsonObject): JsonObject[] {
  const last = details.at(-1);
  if (last?.['type'] !== 'reasoning.text' || detail['type'] !== 'reasoning.text') {
    return [...details, detail];
  }
  const text = asText(last['text']) + asText(detail['text']);
  return [...details.slice(0, -1), { ...last, ...detail, text }];
}

function wholeCall({ id, ...called }: Call): JsonObject {
  return { id, type: 'function', function: called };
}
