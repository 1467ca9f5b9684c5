import { World } from '../../../../../faults/simulation/world.ts';
import type { TriggerRow } from '../../../src/store/queries/triggers/triggers.ts';

/** The same ids in both databases, sorted by number. */
const uuids = (kind: number) => (number: number) =>
  `0000000${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const START = new Date(new World(0).time);
export const at = (ms: number): Date => new Date(START.getTime() + ms);

export const OWNERS = [0, 1].map(uuids(1));
/** One per owner, for all events. */
export const WEBHOOKS = [0, 1].map(uuids(2));
export const REPLICAS = [0, 1].map(uuids(3));
export const MACHINES = [0, 1].map(uuids(4));
export const MACHINE_NAMES = ['first', 'second', 'third'];
export const chatId = uuids(5);
export const runId = uuids(6);

const TRIGGER: Omit<TriggerRow, 'id' | 'owner_id' | 'name'> = {
  kind: 'schedule',
  enabled: true,
  disabled_reason: null,
  cron: '* * * * *',
  timezone: 'UTC',
  missed: 'skip',
  next_fire_at: at(1_000),
  verification: null,
  secrets: null,
  prompt: 'Work.',
  chat: {},
  concurrency: 'queue',
  max_failures: null,
  failures: 0,
  spend_limit_micros: null,
  created_at: START,
  updated_at: START,
};
const HOOK = {
  kind: 'webhook',
  cron: null,
  timezone: null,
  missed: null,
  next_fire_at: null,
} as const;

export const TRIGGERS: readonly TriggerRow[] = [
  { ...TRIGGER, id: uuids(7)(0), owner_id: OWNERS[0]!, name: 'first', max_failures: 2 },
  { ...TRIGGER, id: uuids(7)(1), owner_id: OWNERS[1]!, name: 'second' },
  {
    ...TRIGGER,
    ...HOOK,
    id: uuids(7)(2),
    owner_id: OWNERS[0]!,
    name: 'hook',
    verification: 'token',
  },
];
