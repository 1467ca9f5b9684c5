import type { JsonObject } from '../json.ts';
import type { ToolCallPart } from '../parts.ts';
import type { EncodedItem, ItemPosition } from './item.ts';
import type { Context, ResponsesRule } from './rule.ts';
import { joined } from '../frame.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { between } from './item.ts';
import { inputOf } from './rule.ts';

/** Whether a call is one of the service's own computer tool: offered, and called by its name. */
export const isComputerCall = ({ name }: ToolCallPart, { context }: ItemPosition): boolean =>
  name === 'computer' &&
  objects(context.request.body['tools']).some((tool) => tool['type'] === 'computer');

/** The arguments of the call are `{actions, pending_safety_checks?}`. */
export function computerCall(part: ToolCallPart, place: ItemPosition): EncodedItem {
  const { outputIndex, status, context } = place;
  const given = asObject(JSON.parse(joined(part.pieces)));
  const call = {
    id: context.ids('cu'),
    type: 'computer_call',
    call_id: part.id ?? context.ids('call'),
    actions: objects(given['actions']),
    pending_safety_checks: objects(given['pending_safety_checks']),
  };
  return between(outputIndex, { ...call, status: 'in_progress', actions: [] }, [], {
    ...call,
    status,
  });
}

interface Call {
  readonly id: string;
  readonly checks: readonly string[];
}

/** The calls in the input, included or referenced. */
function callsIn({ body, issued }: Context): Call[] {
  return inputOf(body).flatMap((item): Call[] => {
    if (item['type'] === 'computer_call') return [callOf(item)];
    const stored = issued.items.get(asText(item['id']))?.call;
    return item['type'] === 'item_reference' && stored !== undefined ? [callOf(stored)] : [];
  });
}

const callOf = (item: JsonObject): Call => ({
  id: asText(item['call_id']),
  checks: checksOf(item['pending_safety_checks']),
});

const checksOf = (checks: unknown) => objects(checks).map((check) => asText(check['id']));

/** Every call needs a screenshot, and its safety checks must be acknowledged. */
export const answeredWithScreenshots: ResponsesRule = (context) => {
  const outputs = inputOf(context.body).filter((item) => item['type'] === 'computer_call_output');
  const calls = callsIn(context);
  for (const { id, checks } of calls) {
    const output = outputs.find((item) => item['call_id'] === id);
    if (output === undefined) {
      return badRequest(`No tool output found for computer call ${id}.`, { param: 'input' });
    }
    const confirmed = checksOf(output['acknowledged_safety_checks']);
    if (checks.some((check) => !confirmed.includes(check))) {
      return badRequest(`Computer call ${id} has unacknowledged safety checks.`, {
        param: 'input',
      });
    }
  }
  for (const item of outputs) {
    const id = asText(item['call_id']);
    if (!calls.some((call) => call.id === id)) {
      return badRequest(`No tool call found for computer call output with call_id ${id}.`, {
        param: 'input',
      });
    }
    const { type, image_url } = asObject(item['output']);
    if (type !== 'computer_screenshot' || !asText(image_url).startsWith('data:image/')) {
      return badRequest('The output of a computer call must be a computer_screenshot.', {
        param: 'input',
      });
    }
  }
  return undefined;
};
