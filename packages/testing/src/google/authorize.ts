import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';

/** Google's statuses: 403 without a key, 400 with a wrong one. */
export function authorize(
  { headers, query }: WireRequest,
  key: string | undefined,
): Refusal | undefined {
  const given = headers['x-goog-api-key'] ?? new URLSearchParams(query).get('key');
  if (!given) {
    return {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    };
  }
  if (key === undefined || given === key) return undefined;
  return {
    status: 400,
    message: 'API key not valid. Please pass a valid API key.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
      },
    ],
  };
}
