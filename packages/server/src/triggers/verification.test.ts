import { createHmac } from 'node:crypto';
import type { WebhookVerification } from '@chatd/protocol';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import {
  checkSecret,
  type Delivery,
  deliveryIdOf,
  generatedSecret,
  isAuthentic,
} from './verification.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const BODY = '{"event_id":"Ev1"}';
const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);
const unix = (time: Date) => String(Math.floor(time.getTime() / 1000));
const hex = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex');

/** The headers of an authentic request, by the documentation of the sender. */
const SIGNED: Readonly<
  Record<WebhookVerification, (secret: string, at: Date, body?: string) => Record<string, string>>
> = {
  token: (secret) => ({ authorization: `Bearer ${secret}`, 'x-delivery-id': 'd1' }),
  'hmac-sha256': (secret, _, body = BODY) => ({
    'x-signature-256': `sha256=${hex(secret, body)}`,
    'x-delivery-id': 'd1',
  }),
  github: (secret, _, body = BODY) => ({
    'x-hub-signature-256': `sha256=${hex(secret, body)}`,
    'x-github-delivery': 'd1',
  }),
  slack: (secret, at, body = BODY) => ({
    'x-slack-request-timestamp': unix(at),
    'x-slack-signature': `v0=${hex(secret, `v0:${unix(at)}:${body}`)}`,
  }),
  'standard-webhooks': (secret, at, body = BODY) => ({
    'webhook-id': 'd1',
    'webhook-timestamp': unix(at),
    'webhook-signature': new Webhook(secret).sign('d1', at, body),
  }),
};
const KINDS = Object.keys(SIGNED) as WebhookVerification[];
const SECRETS = Object.fromEntries(
  KINDS.map((kind) => [kind, kind === 'standard-webhooks' ? STANDARD : 'the-shared-secret']),
) as Record<WebhookVerification, string>;

const delivery = (headers: Record<string, string>, body = BODY): Delivery => ({
  body: Buffer.from(body),
  header: (name) => headers[name],
});

describe.each(KINDS)('%s', (kind) => {
  const secret = SECRETS[kind];
  const check = (headers: Record<string, string>, body?: string) =>
    isAuthentic(kind, secret, delivery(headers, body), NOW);

  test('an authentic request is accepted', () => {
    expect(check(SIGNED[kind](secret, NOW))).toBe(true);
    expect(check(SIGNED[kind](secret, secondsAgo(299)))).toBe(true);
  });

  test('a request without headers, or with another secret, is refused', () => {
    expect(check({})).toBe(false);
    const other = kind === 'standard-webhooks' ? `whsec_${'A'.repeat(32)}` : 'another-secret';
    expect(check(SIGNED[kind](other, NOW))).toBe(false);
  });

  test.skipIf(kind === 'token')('a request with another body is refused', () => {
    expect(check(SIGNED[kind](secret, NOW), `${BODY} `)).toBe(false);
  });

  test.skipIf(kind !== 'slack' && kind !== 'standard-webhooks')(
    'a request outside of the replay window is refused, by the given clock',
    () => {
      expect(check(SIGNED[kind](secret, secondsAgo(301)))).toBe(false);
      expect(check(SIGNED[kind](secret, secondsAgo(-301)))).toBe(false);
      // A new time needs a new signature.
      const headers = SIGNED[kind](secret, secondsAgo(301));
      const field = kind === 'slack' ? 'x-slack-request-timestamp' : 'webhook-timestamp';
      expect(check({ ...headers, [field]: unix(NOW) })).toBe(false);
    },
  );

  test('repeated deliveries have the same ID', () => {
    const id = deliveryIdOf(kind, delivery(SIGNED[kind](secret, NOW)), JSON.parse(BODY));
    expect(id).toBe(kind === 'slack' ? 'Ev1' : 'd1');
    const again = delivery(SIGNED[kind](secret, secondsAgo(10)));
    expect(deliveryIdOf(kind, again, JSON.parse(BODY))).toBe(id);
  });
});

test('without an ID, equal signed bodies are one delivery, and long IDs are hashed', () => {
  const bare = deliveryIdOf('hmac-sha256', delivery({}), {});
  expect(bare).toMatch(/^[0-9a-f]{64}$/);
  expect(deliveryIdOf('hmac-sha256', delivery({}), {})).toBe(bare);
  expect(deliveryIdOf('hmac-sha256', delivery({}, '{}'), {})).not.toBe(bare);
  const long = delivery({ 'x-delivery-id': 'x'.repeat(300) });
  expect(deliveryIdOf('token', long, {})).toMatch(/^[0-9a-f]{64}$/);
});

test('one of several signatures of a rotated secret is enough', () => {
  const headers = SIGNED['standard-webhooks'](STANDARD, NOW);
  const signatures = `v1,AAAA v1a,BBBB ${headers['webhook-signature']}`;
  const rotated = delivery({ ...headers, 'webhook-signature': signatures });
  expect(isAuthentic('standard-webhooks', STANDARD, rotated, NOW)).toBe(true);
});

test('generated secrets have the format of the sender: none for Slack, base64 for Standard Webhooks', () => {
  expect(generatedSecret('slack')).toBeUndefined();
  const standard = generatedSecret('standard-webhooks') ?? '';
  checkSecret('standard-webhooks', standard);
  const signed = SIGNED['standard-webhooks'](standard, NOW);
  expect(isAuthentic('standard-webhooks', standard, delivery(signed), NOW)).toBe(true);
  expect(() => checkSecret('standard-webhooks', 'whsec_short')).toThrow('24 to 64 bytes');
  expect(() => checkSecret('standard-webhooks', 'a-password-in-plain-text-0123456789')).toThrow(
    'whsec_',
  );
});
