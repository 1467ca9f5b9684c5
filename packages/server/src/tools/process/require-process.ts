export function requireProcess<T>(found: T | undefined, id: string): T {
  if (found !== undefined) return found;
  throw new Error(
    `Process ${id} does not exist. It ended long ago, or with its workspace or the server. process_list lists current processes.`,
  );
}
