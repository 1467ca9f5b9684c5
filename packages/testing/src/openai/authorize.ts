import type { WireRequest } from '../dialect.ts';
import type { Refusal } from '../refusal.ts';

export function authorize({ headers }: WireRequest, key: string | undefined): Refusal | undefined {
  const given = headers['authorization']?.replace(/^Bearer /, '') ?? headers['api-key'];
  if (!given) {
    return {
      status: 401,
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    };
  }
  if (key === undefined || given === key) return undefined;
  const shown = `${given.slice(0, 3)}****`;
  return {
    status: 401,
    message: `Incorrect API key provided: ${shown}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    code: 'invalid_api_key',
  };
}
