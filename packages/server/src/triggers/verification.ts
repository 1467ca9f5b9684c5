import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { WebhookVerification } from '@chatd/protocol';
import { bearerSecret, hashSecret, newSecret } from '../auth/secret.ts';
import { refusedField } from '../chat/refused.ts';

/** Signed timestamps may differ by this much from the clock of the database. */
const REPLAY_WINDOW_MS = 5 * 60_000;
const SIGNATURES_LIMIT = 8;
const STANDARD_PREFIX = 'whsec_';

/** A request to the URL of a trigger. */
export interface Delivery {
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
}

interface Verifier {
  /** What is signed, and the header with the signature. */
  readonly signed: (delivery: Delivery) => readonly (string | Buffer)[];
  readonly isValid: (delivery: Delivery, mac: Buffer, secret: string) => boolean;
  /** Undefined: the sender gives none. */
  readonly id: (delivery: Delivery, payload: unknown) => string | undefined;
  /** The signed time in seconds. Default: none is signed. */
  readonly timestamp?: (delivery: Delivery) => string | undefined;
}

const hexSignature =
  (header: string, prefix: string) =>
  ({ header: read }: Delivery, mac: Buffer): boolean =>
    isSame(read(header), `${prefix}${mac.toString('hex')}`);

const bodyOnly = ({ body }: Delivery) => [body];
const bodyHash = ({ body }: Delivery) => createHash('sha256').update(body).digest('hex');

const VERIFIERS: Readonly<Record<WebhookVerification, Verifier>> = {
  token: {
    signed: bodyOnly,
    isValid: ({ header }, _, secret) => isSame(bearerSecret(header('authorization') ?? ''), secret),
    id: ({ header }) => header('x-delivery-id') ?? randomUUID(),
  },
  'hmac-sha256': {
    signed: bodyOnly,
    isValid: hexSignature('x-signature-256', 'sha256='),
    id: ({ header }) => header('x-delivery-id'),
  },
  github: {
    signed: bodyOnly,
    isValid: hexSignature('x-hub-signature-256', 'sha256='),
    id: ({ header }) => header('x-github-delivery'),
  },
  slack: {
    signed: ({ header, body }) => [`v0:${header('x-slack-request-timestamp') ?? ''}:`, body],
    isValid: hexSignature('x-slack-signature', 'v0='),
    timestamp: ({ header }) => header('x-slack-request-timestamp'),
    // Of an event, or of a command or interaction.
    id: (_, payload) => textIn(payload, 'event_id') ?? textIn(payload, 'trigger_id'),
  },
  'standard-webhooks': {
    signed: ({ header, body }) => [
      `${header('webhook-id') ?? ''}.${header('webhook-timestamp') ?? ''}.`,
      body,
    ],
    isValid({ header }, mac) {
      const expected = `v1,${mac.toString('base64')}`;
      const given = (header('webhook-signature') ?? '').split(' ').slice(0, SIGNATURES_LIMIT);
      return given.map((one) => isSame(one, expected)).includes(true);
    },
    timestamp: ({ header }) => header('webhook-timestamp'),
    id: ({ header }) => header('webhook-id'),
  },
};

/** Takes the same time for a wrong signature as for a right one. `now` is the clock of the database. */
export function isAuthentic(
  type: WebhookVerification,
  secret: string,
  delivery: Delivery,
  now: Date,
): boolean {
  const { signed, isValid, timestamp } = VERIFIERS[type];
  const mac = createHmac('sha256', keyOf(type, secret));
  for (const part of signed(delivery)) mac.update(part);
  const valid = isValid(delivery, mac.digest(), secret);
  return valid && (timestamp === undefined || isRecent(timestamp(delivery), now));
}

/** The same for repeated deliveries. Without an id of the sender, equal bodies are one delivery. */
export function deliveryIdOf(
  type: WebhookVerification,
  delivery: Delivery,
  payload: unknown,
): string {
  const id = VERIFIERS[type].id(delivery, payload);
  if (id === undefined || id === '') return bodyHash(delivery);
  return /^[\x21-\x7e]{1,255}$/.test(id) ? id : createHash('sha256').update(id).digest('hex');
}

/** A secret for a new trigger. Undefined: the sender generates it. */
export function generatedSecret(type: WebhookVerification): string | undefined {
  if (type === 'slack') return undefined;
  if (type !== 'standard-webhooks') return newSecret('chatd_hook_');
  return `${STANDARD_PREFIX}${Buffer.from(newSecret(), 'base64url').toString('base64')}`;
}

export function checkSecret(type: WebhookVerification, secret: string): void {
  if (type !== 'standard-webhooks') return;
  const bytes = keyOf(type, secret).length;
  const isBase64 = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret);
  if (isBase64 && bytes >= 24 && bytes <= 64) return;
  throw refusedField('verify.secret', 'must be whsec_ followed by 24 to 64 bytes as base64');
}

const keyOf = (type: WebhookVerification, secret: string): Buffer =>
  type === 'standard-webhooks'
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret);

/** Compares hashes, so that the time does not depend on the length either. */
const isSame = (given: string | undefined, expected: string): boolean =>
  timingSafeEqual(hashSecret(given ?? ''), hashSecret(expected)) && given !== undefined;

const isRecent = (seconds: string | undefined, now: Date): boolean =>
  /^\d{1,12}$/.test(seconds ?? '') &&
  Math.abs(Number(seconds) * 1000 - now.getTime()) <= REPLAY_WINDOW_MS;

const textIn = (payload: unknown, name: string): string | undefined => {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, name)) {
    return undefined;
  }
  const value = (payload as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
};
