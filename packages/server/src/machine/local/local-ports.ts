import {
  type Connection,
  type ConnectionHandlers,
  type PortAccess,
  PortUnavailable,
  type Sandbox,
} from '../drivers/driver.ts';
import { runScript } from '../git/run-script.ts';
import type { HostedPorts, ListeningPort } from '../machine.ts';
import { displayText } from '../processes/display-text.ts';

/** The sockets of the network namespace, the sockets of each process, and the programs of the processes. */
const SCRIPT = `
cat /proc/net/tcp /proc/net/tcp6 2>/dev/null
ls -l /proc/[0-9]*/fd 2>/dev/null
ls -l /proc/[0-9]*/exe 2>/dev/null
exit 0
`;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_PORTS = 1000;
const NAME_LENGTH = 64;

/** The ports of an open workspace. */
export class LocalPorts implements HostedPorts {
  readonly #sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async list(): Promise<readonly ListeningPort[]> {
    const { reserved = [] } = this.#access();
    const { stdout } = await runScript(this.#sandbox, SCRIPT, [], { limit: MAX_BYTES });
    return listeningPorts(displayText(stdout)).filter(({ port }) => !reserved.includes(port));
  }

  async connect(port: number, handlers: ConnectionHandlers): Promise<Connection> {
    return await this.#access().connect(port, handlers);
  }

  #access(): PortAccess {
    if (this.#sandbox.ports !== undefined) return this.#sandbox.ports;
    throw new PortUnavailable(
      'Ports require a sandbox: without one, the workspace uses the network of its machine.',
    );
  }
}

const SOCKET = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ ([0-9A-F]{2}) (?:\S+ +){5}(\d+) /;
const LISTEN = '0A';
/** The loopback and wildcard addresses, as the kernel prints them. */
const REACHABLE = /^(0100007F|00000000|0{24}01000000|0{32}|0{16}FFFF00000100007F)$/;

/** Reads the output of the script. Programs in the workspace can forge it. */
export function listeningPorts(output: string): ListeningPort[] {
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  const sockets = new Map<number, string>();
  let process = '';
  for (const line of output.split('\n')) {
    const [, address, port, state, inode] = SOCKET.exec(line) ?? [];
    if (state === LISTEN && REACHABLE.test(address ?? '')) {
      sockets.set(Number.parseInt(port ?? '', 16), inode ?? '');
      continue;
    }
    process = /^\/proc\/(\d+)\/fd:$/.exec(line)?.[1] ?? process;
    const [, socket] = /socket:\[(\d+)\]$/.exec(line) ?? [];
    if (socket !== undefined) owners.set(socket, process);
    const [, id, name] = /\/proc\/(\d+)\/exe -> (?:\S*\/)?([^/]+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) names.set(id, name.slice(0, NAME_LENGTH));
  }
  return [...sockets]
    .toSorted(([a], [b]) => a - b)
    .slice(0, MAX_PORTS)
    .map(([port, inode]) => ({ port, program: names.get(owners.get(inode) ?? '') }));
}
