interface Task {
  /** Rough duration, in seconds. */
  readonly seconds: number;
  /** Runs after all others, by itself. */
  readonly isAlone: boolean;
}

/** Runs tasks, at most `jobs` at a time, the longest first. */
export async function inParallel<T extends Task>(
  tasks: readonly T[],
  jobs: number,
  run: (task: T) => Promise<void>,
): Promise<void> {
  const longestFirst = [...tasks].sort((a, b) => b.seconds - a.seconds);
  const shared = longestFirst.filter(({ isAlone }) => !isAlone).values();
  const work = async () => {
    for (const task of shared) await run(task);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const task of longestFirst.filter(({ isAlone }) => isAlone)) await run(task);
}
