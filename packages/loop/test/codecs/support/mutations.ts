import * as fc from 'fast-check';

type Json = unknown;

/** A way to damage a stream. `at` and `to` select events, modulo their number. */
export type Mutation =
  | { type: 'drop' | 'repeat' | 'cut-json'; at: number }
  | { type: 'swap'; at: number; to: number }
  | { type: 'insert'; at: number; event: string }
  | { type: 'change'; at: number; field: number; value: Json };

/** Events and values that no provider should send, or sends rarely. */
const ODD_EVENTS = [
  '{"type":"brand_new_event","x":1}',
  '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}',
  '{"type":"error","code":"server_error","message":"The server had an error","param":null,"sequence_number":3}',
  '{"type":"response.failed","sequence_number":5,"response":{"error":{"code":"rate_limit_exceeded","message":"Too fast"}}}',
  '{"type":"response.refusal.delta","item_id":"msg_1","output_index":1,"delta":"No."}',
  '{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}',
  '{"type":"content_block_start","index":9,"content_block":{"type":"server_tool_use","id":"srv","name":"web_search","input":{}}}',
  '{"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"astray"}}',
  '{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}',
  '{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}',
  '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_9","function":{"name":"search","arguments":"{}"}}]}}]}',
  '{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}',
  '{"choices":[{"index":0,"delta":{"refusal":"No."}}]}',
  '{"promptFeedback":{"blockReason":"SAFETY"}}',
  '{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}}]}',
  '{"__proto__":{"x":1}}',
  '[DONE]',
  '[]',
  'null',
  'not json',
];
const ODD_VALUES: Json[] = [
  null,
  undefined,
  '',
  'text',
  0,
  -1,
  3,
  true,
  [],
  {},
  [{}],
  { type: 'x' },
];

const at = fc.nat(1000);

export const mutations = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constantFrom('drop' as const, 'repeat' as const, 'cut-json' as const),
      at,
    }),
    fc.record({ type: fc.constant('swap' as const), at, to: at }),
    fc.record({ type: fc.constant('insert' as const), at, event: fc.constantFrom(...ODD_EVENTS) }),
    fc.record({
      type: fc.constant('change' as const),
      at,
      field: fc.nat(1000),
      value: fc.constantFrom(...ODD_VALUES),
    }),
  ),
  { minLength: 1, maxLength: 3 },
);

/** The data of each event after the mutations. */
export function mutate(lines: readonly string[], all: readonly Mutation[]): string[] {
  const events = [...lines];
  for (const mutation of all) {
    if (events.length === 0) break;
    const index = mutation.at % events.length;
    const event = events[index] ?? '';
    switch (mutation.type) {
      case 'drop':
        events.splice(index, 1);
        break;
      case 'repeat':
        events.splice(index, 0, event);
        break;
      case 'cut-json':
        events[index] = event.slice(0, Math.floor(event.length / 2));
        break;
      case 'swap': {
        const other = mutation.to % events.length;
        events[index] = events[other] ?? '';
        events[other] = event;
        break;
      }
      case 'insert':
        events.splice(index, 0, mutation.event);
        break;
      case 'change':
        events[index] = changed(event, mutation.field, mutation.value);
    }
  }
  return events;
}

/** Sets the field with this number, counted across all levels. Undefined removes it. */
function changed(event: string, field: number, value: Json): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(event);
  } catch {
    return event;
  }
  const places: [Record<string, unknown>, string][] = [];
  const visit = (inner: unknown) => {
    if (typeof inner !== 'object' || inner === null) return;
    for (const [key, each] of Object.entries(inner)) {
      places.push([inner as Record<string, unknown>, key]);
      visit(each);
    }
  };
  visit(parsed);
  const place = places[field % Math.max(places.length, 1)];
  if (place === undefined) return event;
  const [owner, key] = place;
  if (value === undefined && !Array.isArray(owner)) delete owner[key];
  else owner[key] = value ?? null;
  return JSON.stringify(parsed);
}
