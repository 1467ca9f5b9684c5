import { describe } from 'vitest';
import { answered } from './answered.ts';
import { CONFIG, REFUSED, table } from './table.ts';

const gateway = (name: string, statusCode: number, type: string, message: string) =>
  Object.assign(new Error(message), { name, statusCode, type });

describe('Vercel AI Gateway', () => {
  table([
    [
      'rate limit',
      gateway('GatewayRateLimitError', 429, 'rate_limit_exceeded', 'Slow down'),
      { kind: 'rate_limit' },
    ],
    [
      'bad key',
      gateway('GatewayAuthenticationError', 401, 'authentication_error', 'Invalid API key'),
      { kind: 'auth' },
    ],
    [
      'unknown model',
      gateway('GatewayModelNotFoundError', 404, 'model_not_found', 'No such model'),
      CONFIG,
    ],
    [
      'credit card',
      gateway(
        'GatewayInternalServerError',
        500,
        'internal_server_error',
        'AI Gateway requires a valid credit card on file to service requests.',
      ),
      { kind: 'usage_limit' },
    ],
    [
      'unknown item',
      gateway(
        'GatewayInternalServerError',
        500,
        'internal_server_error',
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
      ),
      REFUSED,
    ],
    [
      'upstream balance',
      answered(429, {
        error: {
          message: 'Insufficient balance or no resource package. Please recharge.',
          type: 'AI_APICallError',
          param: { error: 'overloaded', statusCode: 429 },
        },
      }),
      { kind: 'usage_limit' },
    ],
  ]);
});
