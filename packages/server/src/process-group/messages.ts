import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of one process. */
export type ProcessMetrics = MetricObjectWithValues<MetricValue<string>>[];

/** Points that a user or credential has spent in one process. */
export type Spending = readonly (readonly [budget: string, key: string, points: number])[];

/** The address of a process that is ready, the same for all, and a sign-in link. */
export interface ReadyServer {
  readonly url: string;
  readonly signInUrl: string;
}

export interface GroupSettings {
  readonly size: number;
  /** The embedded PostgreSQL, which the supervisor runs. */
  readonly databaseUrl?: string;
}

export type ToSupervisor =
  | { readonly type: 'joined' }
  | ({ readonly type: 'ready' } & ReadyServer)
  | { readonly type: 'collect'; readonly id: number }
  | { readonly type: 'metrics'; readonly id: number; readonly metrics: ProcessMetrics }
  | { readonly type: 'spent'; readonly spending: Spending };

export type ToMember =
  | ({ readonly type: 'begin' } & GroupSettings)
  | { readonly type: 'stop' }
  | { readonly type: 'read'; readonly id: number }
  | { readonly type: 'collected'; readonly id: number; readonly metrics: ProcessMetrics[] }
  | { readonly type: 'spent'; readonly spending: Spending };
