/** Of the replicas: how long a worker without a heartbeat keeps its chats, and how often it looks for others. */
export const LEASE_MS = 3_000;
export const SWEEP_MS = 500;
