import { DATA_HEADERS } from './headers.ts';
import type { ProblemAnswer } from './problem.ts';

export function problemResponse(
  { status, headers, body }: ProblemAnswer,
  requestId?: string,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...DATA_HEADERS,
      'content-type': 'application/problem+json',
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      ...headers,
    },
  });
}
