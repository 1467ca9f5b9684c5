/** The measurement of one child process, per stream where applicable. */
export interface Sample {
  wallMs: number;
  cpuMs: number;
  peakRssMb: number;
  /** The maximum delay of a timer. */
  lagMs: number;
}

const TICK_MS = 10;

/** Measures the work while a timer runs. */
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
  // The pending timer may be late as well.
  lag = Math.max(lag, performance.now() - due);
  clearTimeout(timer);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return { wallMs, cpuMs: (user + system) / 1000, peakRssMb, lagMs: lag };
}
