import type { Route } from '@chatd/protocol';

/**
 * How to make a call: it takes JSON (`body`) or raw `bytes`, a `query`, contains a `secret` and so has no idempotency
 * key, and responds with bytes (`media`) or a stream (`events`).
 */
type RouteTrait = 'body' | 'bytes' | 'query' | 'secret' | 'media' | 'events';

export type RouteRow = readonly [method: Route['method'], path: string, ...traits: RouteTrait[]];

export const has = ([, , ...traits]: RouteRow, trait: RouteTrait) => traits.includes(trait);
