import type { ScriptedAnswer } from './answer.ts';
import type { Api } from './api.ts';
import { dialects } from './dialects.ts';
import { framesToSteps } from './steps.ts';
import { countingIds } from './ids.ts';
import { serverSentEvents } from './wire.ts';

/** APIs with text events. */
type TextApi = Exclude<Api, 'bedrock'>;

const PATHS: Partial<Record<Api, string>> = {
  google: '/v1beta/models/fake:streamGenerateContent',
};

/**
 * The encoded events of a response, for custom servers: a benchmark's provider encodes once and sends the same bytes
 * repeatedly. Gates are omitted.
 */
export function wireEvents(api: TextApi, answer: ScriptedAnswer): string[] {
  const request = {
    method: 'POST',
    path: PATHS[api] ?? '/',
    query: '',
    headers: {},
    raw: '',
    body: { model: 'fake', stream: true, stream_options: { include_usage: true } },
  };
  const frames = dialects[api].encode(answer, { request, ids: countingIds(), created: 0 });
  return framesToSteps(frames, serverSentEvents).flatMap((step) =>
    step.do === 'write' && typeof step.bytes === 'string' ? [step.bytes] : [],
  );
}
