export const isoTime = (ms: number): string => new Date(ms).toISOString();
