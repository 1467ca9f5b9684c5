import type { ClaimedDelivery } from '../store/queries/outbox/deliveries.ts';

/** The result of one attempt. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** The next attempt may succeed, unless it is final. */
  | {
      readonly kind: 'failed';
      /** Null: no response. */
      readonly status: number | null;
      readonly error: string;
      readonly final?: boolean;
    }
  /** The target no longer exists. */
  | { readonly kind: 'gone' };

/** A way to deliver events: webhooks, or notifications of browsers. */
export interface Channel {
  /** An error is a failed attempt, too. */
  send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Outcome>;
  /** Whether delivered events are kept, so that their owner can list them. */
  readonly keepsDelivered: boolean;
}
