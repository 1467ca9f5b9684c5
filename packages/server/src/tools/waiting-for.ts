/** Shown as live output of a call while its machine is offline. */
export const waitingFor = (machine: string): string => `Waiting for machine ${machine}.\n`;
