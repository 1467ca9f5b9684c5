/** Counters of the machines of this process, for metrics. */
export interface MachineStats {
  /** Connections of machines that this process holds, including its local machine. */
  connected: number;
  /** Machines that this process uses through another replica. */
  forwarded: number;
  /** Bytes from and to machines. */
  sent: number;
  received: number;
  /** Times that a command was followed over another connection. */
  reattached: number;
  /** Commands whose results were obtained although their connection or the replica that started them was lost. */
  recovered: number;
  /** Calls with an unknown outcome, because the machine restarted. */
  lost: number;
  /** Answered pings, and the sum of their round-trip times. */
  pings: number;
  pingMs: number;
}

export const newMachineStats = (): MachineStats => ({
  connected: 0,
  forwarded: 0,
  sent: 0,
  received: 0,
  reattached: 0,
  recovered: 0,
  lost: 0,
  pings: 0,
  pingMs: 0,
});
