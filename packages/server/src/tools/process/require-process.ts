import type { ListedProcess, ProcessList } from '../../machine/processes/process-list.ts';

export function requireProcess(processes: ProcessList, id: string): ListedProcess {
  const process = processes.find(id);
  if (process !== undefined) return process;
  throw new Error(
    `Process ${id} does not exist. It ended long ago, or with its workspace or the server. process_list lists current processes.`,
  );
}
