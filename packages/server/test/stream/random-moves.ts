import * as fc from 'fast-check';

const VIEWERS = 4;
const viewer = fc.nat({ max: VIEWERS - 1 });
const replica = fc.nat({ max: 1 });

const of = <Kind extends string, More extends object>(
  kind: Kind,
  more: { [Key in keyof More]: fc.Arbitrary<More[Key]> },
) => fc.record({ kind: fc.constant(kind), ...more }) as fc.Arbitrary<{ kind: Kind } & More>;

/** Actions of clients, runners, networks and viewers. An action that is currently impossible does nothing. */
export const move = fc.oneof(
  {
    weight: 2,
    arbitrary: of('send', { behavior: fc.constantFrom('queue', 'steer', 'interrupt') }),
  },
  { weight: 1, arbitrary: of('edit', { which: fc.nat() }) },
  { weight: 1, arbitrary: of('interrupt', {}) },
  { weight: 1, arbitrary: of('delete_queued', {}) },
  { weight: 1, arbitrary: of('submit', {}) },
  { weight: 3, arbitrary: of('take', { replica }) },
  { weight: 1, arbitrary: of('steal', { replica, ends: fc.boolean() }) },
  { weight: 4, arbitrary: of('attempt', {}) },
  {
    weight: 10,
    arbitrary: of('parts', {
      type: fc.constantFrom('text', 'reasoning', 'args', 'output', 'source'),
      count: fc.nat({ max: 40 }),
    }),
  },
  { weight: 1, arbitrary: of('zombie_parts', { count: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: of('retry', {}) },
  {
    weight: 4,
    arbitrary: of('commit', {
      what: fc.constantFrom('text', 'calls', 'hidden'),
      next: fc.constantFrom(undefined, undefined, 'begin_attempt', 'finish_turn'),
    }),
  },
  { weight: 2, arbitrary: of('finish', {}) },
  { weight: 2, arbitrary: of('finish_interruption', { partial: fc.boolean() }) },
  { weight: 1, arbitrary: of('require_action', {}) },
  { weight: 1, arbitrary: of('fail', {}) },
  { weight: 8, arbitrary: of('connect', { viewer, replica }) },
  { weight: 4, arbitrary: of('cut', { viewer, after: fc.nat({ max: 6 }) }) },
  { weight: 1, arbitrary: of('stop', { viewer }) },
  { weight: 1, arbitrary: of('go_on', { viewer }) },
  { weight: 1, arbitrary: of('lose', { replica, losing: fc.boolean() }) },
  { weight: 3, arbitrary: of('pause', {}) },
  { weight: 1, arbitrary: of('compare', {}) },
);
export type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;
