import type { Issued, StoredItem } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import { asObject, asText, objects } from '../json.ts';

const FINAL = new Set(['response.completed', 'response.incomplete']);

/**
 * Encrypted reasoning is valid as soon as it is sent. A response and its items can be referenced only if it was
 * finished and stored; one that the client aborted is lost.
 */
export function learn(sent: readonly JsonObject[], issued: Issued): void {
  const event = sent.at(-1) ?? {};
  const encrypted = asObject(event['item'])['encrypted_content'];
  if (typeof encrypted === 'string') issued.sealed.add(encrypted);
  if (FINAL.has(asText(event['type']))) store(asObject(event['response']), issued);
}

function followerOf(next: JsonObject | undefined): Pick<StoredItem, 'follower'> {
  if (next === undefined) return {};
  const callId = next['call_id'];
  return {
    follower: { id: asText(next['id']), ...(typeof callId === 'string' && { callId }) },
  };
}

function store(response: JsonObject, issued: Issued): void {
  if (response['store'] === false) return;
  const output = objects(response['output']);
  for (const [index, item] of output.entries()) {
    const before = output[index - 1];
    const needs = before?.['type'] === 'reasoning' ? asText(before['id']) : undefined;
    issued.items.set(asText(item['id']), {
      type: asText(item['type']),
      ...(needs !== undefined && { needs }),
      ...(item['type'] === 'reasoning' && followerOf(output[index + 1])),
      ...(item['type'] === 'computer_call' && { call: item }),
    });
  }
  const previous = asText(response['previous_response_id']);
  issued.responses.set(asText(response['id']), {
    items: output.map((item) => asText(item['id'])),
    calls: output
      .filter((item) => item['type'] === 'function_call')
      .map((item) => asText(item['call_id'])),
    ...(previous !== '' && { previous }),
  });
}
