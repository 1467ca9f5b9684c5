import type { Json, WebhookVerification } from '@chatd/protocol';
import type { Caller } from '../auth/caller.ts';
import { networkOf } from '../auth/network.ts';
import { limitReached, Refused } from '../chat/refused.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { findUser } from '../store/queries/users.ts';
import { HOOKS_PREFIX } from '../triggers/present.ts';
import { type Delivery, deliveryIdOf } from '../triggers/verification.ts';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS } from './headers.ts';
import { JSON_BYTES_LIMIT, mediaTypeOf, readBody } from './request/body.ts';
import { parseJson } from './request/json.ts';
import type { Services } from './services.ts';

export const HOOK_PATH = `${HOOKS_PREFIX}/:id`;

/** Refused requests of a network per minute. */
const REFUSED_PER_MINUTE = 600;

/**
 * Webhooks of triggers. A request needs no token: the trigger verifies it. Until then, nothing is stored, and nothing
 * tells whether the trigger exists.
 */
export function hookEndpoint({
  triggers,
  limits,
  store,
}: Services): (exchange: Exchange, id: string) => Promise<Response> {
  const refusals = new RateLimit(REFUSED_PER_MINUTE, () => performance.now());

  return async (exchange, id) => {
    const network = networkOf(exchange.address);
    const seconds = Math.ceil(refusals.waitMs(network, 1) / 1000);
    if (seconds > 0) throw limitReached('Too many refused requests. Try again later.', seconds);
    const body = await readBody(exchange.incoming, JSON_BYTES_LIMIT);
    const delivery: Delivery = { body, header: (name) => exchange.header(name) };
    const verified = await triggers.verify(id, delivery);
    if (verified === undefined) {
      refusals.take(network, 1);
      throw refused();
    }
    const payload = payloadOf(exchange, body);
    const greeting = greetingOf(verified.type, exchange, payload);
    if (greeting !== undefined) return json(200, greeting);
    // A delivery costs its owner as much as a message, and each webhook has half of their budget.
    const [owner] = await store.database.reads.query(findUser, { id: verified.ownerId });
    if (owner === undefined) throw refused();
    const caller: Caller = { ...CALLER, user: owner, tokenId: verified.triggerId };
    const leave = await limits.admit('runTrigger', { caller, exchange, query: {} });
    try {
      const deliveryId = deliveryIdOf(verified.type, delivery, payload);
      const delivered = await triggers.deliver(verified, deliveryId, payload);
      if (delivered === undefined) throw refused();
      const { id: run_id, status, reason, chat_id } = delivered.run;
      return json(delivered.isRepeated ? 200 : 202, { run_id, status, reason, chat_id });
    } finally {
      leave();
    }
  };
}

const CALLER = { scopes: null, expiresAt: null, session: null };

/** JSON, or a form: its field `payload` as JSON, else all of its fields. */
function payloadOf({ incoming }: Exchange, body: Buffer): Json {
  const type = mediaTypeOf(incoming);
  if (type !== 'application/x-www-form-urlencoded') {
    if (type === 'application/json' || type?.endsWith('+json') === true) return parseJson(body);
    throw new Refused(
      'unsupported_media_type',
      'Send Content-Type: application/json or application/x-www-form-urlencoded.',
    );
  }
  const fields = new URLSearchParams(body.toString('utf8'));
  const payload = fields.get('payload');
  return payload === null ? Object.fromEntries(fields) : parseJson(Buffer.from(payload));
}

/** What Slack and GitHub send when a webhook is set up. Undefined: a delivery. */
function greetingOf(
  type: WebhookVerification,
  exchange: Exchange,
  payload: Json,
): object | undefined {
  if (type === 'github' && exchange.header('x-github-event') === 'ping') return {};
  if (type !== 'slack') return undefined;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  if (!isObject || payload['type'] !== 'url_verification') return undefined;
  return typeof payload['challenge'] === 'string' ? { challenge: payload['challenge'] } : undefined;
}

const refused = () =>
  new Refused(
    'not_found',
    'No webhook accepts this request. Check its URL, its signature, and the clock of the sender.',
  );

const json = (status: number, body: object) =>
  Response.json(body, { status, headers: DATA_HEADERS });
