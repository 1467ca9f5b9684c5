/** What one child process measured, per stream where that makes sense. */
export interface Sample {
  wallMs: number;
  cpuMs: number;
  peakRssMb: number;
  /** The longest that a timer came too late. */
  lagMs: number;
}

const TICK_MS = 10;

/** Measures the work, with a timer running beside it. */
export async function sample(work: () => Promise<void>): Promise<Sample> {
  let lag = 0;
  let due = performance.now() + TICK_MS;
  const tick = (): void => {
    lag = Math.max(lag, performance.now() - due);
    due = performance.now() + TICK_MS;
    timer = setTimeout(tick, TICK_MS);
  };
  let timer = setTimeout(tick, TICK_MS);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  // A timer that was still waiting is late, too.
  lag = Math.max(lag, performance.now() - due);
  clearTimeout(timer);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return { wallMs, cpuMs: (user + system) / 1000, peakRssMb, lagMs: lag };
}
