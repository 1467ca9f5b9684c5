import type { Json } from '@chatd/protocol';
import type { TriggerRow } from '../../packages/server/src/store/queries/triggers/triggers.ts';
import { nextTime, nextTimes } from '../../packages/server/src/triggers/schedule.ts';
import type { DeliveredRun } from '../../packages/server/src/triggers/trigger-runs.ts';
import type { Acknowledged } from '../clients/conversation.ts';
import { formatPlan, type PlannedStep } from '../deployment/plan.ts';
import type { SentDelivery, TriggerEvidence } from '../oracle/triggers.ts';
import type { Deployment } from './deployment.ts';
import type { World } from './world.ts';

const TIMEOUT_MS = 10_000;
const RETRY_MS = 300;
const KEYS = 3;
const DELIVERIES = 8;

/** The steps of all runs. A tick has no call: effects of equal messages could not be told apart. */
const TICK: readonly PlannedStep[] = [{ chunks: 1 }];
const HANDLING: readonly PlannedStep[] = [
  { chunks: 1, call: { tool: 'count', ms: 200 } },
  { chunks: 1 },
];

/** Schedules and webhooks of a deployment, and the program that sends deliveries to them. */
export class TriggerLoad {
  readonly #deployment: Deployment;
  readonly #world: World;
  readonly #schedules: TriggerRow[];
  readonly #hook: TriggerRow;
  readonly #sent: SentDelivery[] = [];

  /** Before the replicas start. */
  constructor(deployment: Deployment, owners: readonly string[]) {
    this.#deployment = deployment;
    this.#world = deployment.world;
    const { random } = this.#world;
    for (const owner of owners) deployment.postgres.webhooks.set(owner, random.uuid());
    // Due within the time with faults, and then not for a year.
    const crons = ['0-8/2 0 0 1 1 *', '1,2,3,7,9 0 0 1 1 *', '5 0 0 1 1 *'];
    this.#schedules = Array.from({ length: random.integer(1, 2) }, (_, index) =>
      this.#insert(random.pick(owners), {
        name: `schedule-${index}`,
        kind: 'schedule',
        cron: random.pick(crons),
        prompt: formatPlan({ id: `m-tick-${index}`, steps: TICK }),
        concurrency: random.pick(['parallel', 'queue', 'skip'] as const),
      }),
    );
    this.#hook = this.#insert(random.pick(owners), {
      name: 'hook',
      kind: 'webhook',
      prompt: formatPlan({ id: 'm-d-{{payload.number}}', steps: HANDLING }),
      concurrency: 'parallel',
      chat: random.chance(0.7) ? { continue: { key: '{{payload.key}}' } } : {},
    });
  }

  /** Sends each delivery one to three times, and again until a replica accepts it. */
  async deliver(until: number): Promise<void> {
    const { random } = this.#world;
    await Promise.all(
      Array.from({ length: random.integer(1, DELIVERIES) }, async (_, number) => {
        await this.#world.sleep(random.integer(0, until));
        const copies = random.integer(1, 3);
        const delivery = { id: `delivery-${number}`, number, runs: new Set<string>() };
        this.#sent.push(delivery);
        await Promise.all(
          Array.from({ length: copies }, async () => {
            await this.#world.sleep(random.integer(0, 50));
            delivery.runs.add(await this.#accepted(delivery.id, number));
          }),
        );
      }),
    );
  }

  async evidence(): Promise<TriggerEvidence> {
    const { postgres } = this.#deployment;
    const moves = await postgres.moves();
    const runs = [...postgres.triggerRuns.committed.values()];
    return {
      schedules: this.#schedules.map(({ id, concurrency, cron, created_at }) => ({
        id,
        concurrency,
        due: nextTimes(cron ?? '', 'UTC', created_at, 10).filter(
          (time) => time.getTime() <= this.#world.time,
        ),
        runs: runs.filter(({ trigger_id }) => trigger_id === id),
      })),
      hook: {
        sent: this.#sent,
        runs: runs.filter(({ trigger_id }) => trigger_id === this.#hook.id),
      },
      chats: [...postgres.committed.values()].map(({ row: { id, trigger_id } }) => {
        const rested = moves.findIndex(
          ({ chat_id, old_status, status }) =>
            chat_id === id && old_status !== null && (status === 'waiting' || status === 'error'),
        );
        const begun = moves.findIndex(({ chat_id }) => chat_id === id);
        return { id, trigger_id, begun, rested: rested === -1 ? undefined : rested };
      }),
    };
  }

  /** The messages of all runs, for the checks of conversations. */
  acknowledged({ schedules, hook }: TriggerEvidence): Acknowledged[] {
    const of = (id: string, steps: readonly PlannedStep[], chatId: string | null) =>
      chatId === null
        ? []
        : [{ id, steps, chatId, at: this.#world.time, outcome: 'answered' as const }];
    return [
      ...schedules.flatMap(({ runs }, index) =>
        runs.flatMap(({ chat_id }) => of(`m-tick-${index}`, TICK, chat_id)),
      ),
      ...hook.sent.flatMap(({ id, number }) =>
        hook.runs
          .filter(({ delivery_id }) => delivery_id === id)
          .flatMap(({ chat_id }) => of(`m-d-${number}`, HANDLING, chat_id)),
      ),
    ];
  }

  #insert(
    owner_id: string,
    given: Pick<TriggerRow, 'name' | 'kind' | 'prompt' | 'concurrency'> &
      Partial<Pick<TriggerRow, 'cron' | 'chat'>>,
  ): TriggerRow {
    const created_at = new Date(this.#world.time);
    const { cron = null } = given;
    const trigger: TriggerRow = {
      id: this.#world.random.uuid(),
      owner_id,
      enabled: true,
      disabled_reason: null,
      timezone: cron === null ? null : 'UTC',
      missed: cron === null ? null : 'skip',
      next_fire_at: cron === null ? null : nextTime(cron, 'UTC', created_at),
      verification: null,
      secrets: null,
      max_failures: null,
      failures: 0,
      spend_limit_micros: null,
      created_at,
      updated_at: created_at,
      chat: {},
      ...given,
      cron,
    };
    this.#deployment.postgres.triggers.committed.set(trigger.id, trigger);
    return trigger;
  }

  async #accepted(deliveryId: string, number: number): Promise<string> {
    const payload: Json = { number, key: `key ${number % KEYS}` };
    for (;;) {
      const replica = this.#deployment.anyReplica();
      const delivered = await Promise.race([
        replica === undefined
          ? undefined
          : this.#world
              .enter(replica.process, () =>
                replica.runs.deliver(this.#hook.id, deliveryId, payload),
              )
              .catch((): DeliveredRun | undefined => undefined),
        this.#world.sleep(TIMEOUT_MS).then(() => undefined),
      ]);
      if (delivered !== undefined) return delivered.run.id;
      await this.#world.sleep(RETRY_MS);
    }
  }
}
