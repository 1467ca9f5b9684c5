import { type Problem, violation } from './problem.ts';

/** An event in the outbox. */
export interface StoredEvent {
  readonly id: number;
  readonly target_id: string;
  readonly subject_id: string;
  readonly state: string;
}

/** A request that a receiver has seen. */
export interface ReceivedDelivery {
  readonly id: number;
  readonly at: number;
}

/** Every event was delivered at least once, and those of a chat in order. Resolves to the problems found. */
export function checkDeliveries(
  events: readonly StoredEvent[],
  received: readonly ReceivedDelivery[],
): Problem[] {
  const seen = new Set(received.map(({ id }) => id));
  const missing = events.flatMap(({ id, state }) => {
    if (state === 'pending') return [violation('deliveriesEnd', `event ${id} is still pending`)];
    return seen.has(id)
      ? []
      : [violation('delivered', `event ${id} is ${state} but was not received`)];
  });
  const byId = new Map(events.map((event) => [event.id, event]));
  const subjects = Map.groupBy(received, ({ id }) => {
    const event = byId.get(id);
    return event === undefined ? 'unknown' : `${event.target_id} ${event.subject_id}`;
  });
  const disordered = [...subjects].flatMap(([subject, requests]) =>
    subject === 'unknown'
      ? requests.map(({ id }) =>
          violation('deliveriesStored', `event ${id} was received but is not stored`),
        )
      : requests.flatMap(({ id }, index) => {
          const before = requests[index - 1];
          return before !== undefined && before.id > id
            ? [violation('deliveredInOrder', `event ${id} was received after event ${before.id}`)]
            : [];
        }),
  );
  return [...missing, ...disordered];
}
