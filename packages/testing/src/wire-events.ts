import type { Answer } from './answer.ts';
import type { Api } from './api.ts';
import { dialects } from './dialects.ts';
import { framesToSteps } from './steps.ts';
import { countingIds } from './ids.ts';
import { serverSentEvents } from './wire.ts';

/** Those whose events are text. */
type TextApi = Exclude<Api, 'bedrock'>;

const PATHS: Partial<Record<Api, string>> = {
  google: '/v1beta/models/fake:streamGenerateContent',
};

/**
 * The events of an answer as they go on the wire, for servers of your own: a benchmark's provider must cost next
 * to nothing, so it encodes once and sends the same bytes again and again. Gates are left out.
 */
export function wireEvents(api: TextApi, answer: Answer): string[] {
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
