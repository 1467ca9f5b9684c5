import type { JsonObject } from '../json.ts';
import { asText, isObject, objects } from '../json.ts';

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** Folds the chunks of a stream into the completion that they spell. */
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
  for (const field of ['content', 'reasoning_content']) {
    if (delta[field]) message[field] = asText(message[field]) + asText(delta[field]);
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

function wholeCall({ id, ...called }: Call): JsonObject {
  return { id, type: 'function', function: called };
}
