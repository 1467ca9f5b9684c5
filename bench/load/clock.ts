/** The same for all processes of the machine, and never set back. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
