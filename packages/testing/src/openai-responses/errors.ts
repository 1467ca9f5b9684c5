import type { EventFrame } from '../frame.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { asObject } from '../json.ts';
import { errorOf } from '../openai/errors.ts';
import { frame } from './event.ts';

/** A failing stream reports the failure twice: as an error event, and as the end of the response. */
export function errorEvents(refusal: Refusal, sent: readonly JsonObject[]): EventFrame[] {
  const { code, message } = refusal;
  const opening = asObject(sent.find((event) => event['response'] !== undefined)?.['response']);
  const next = sent.length;
  const response = { ...opening, status: 'failed', error: { code: code ?? null, message } };
  return [
    frame({ type: 'error', sequence_number: next, error: errorOf(refusal) }),
    frame({ type: 'response.failed', sequence_number: next + 1, response }),
  ];
}
