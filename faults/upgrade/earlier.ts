/**
 * States of chatd that somebody may come from: the newest whose schema is that of a fixture in
 * packages/server/test/upgrade, and that has a worker. A release is added here when it is made.
 */
export const EARLIER = ['d5428d2', 'b3489d1'] as const;
