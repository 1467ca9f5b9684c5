import {
  type Connection,
  type ConnectionHandlers,
  PortUnavailable,
  type ProcessRequest,
  type RunningProcess,
} from '../driver.ts';

/** Copies between a port and its own stdin and stdout. The first byte says that it is connected. */
const SCRIPT = `
command -v bash >/dev/null || exit 91
exec bash -c '
  { exec 3<>"/dev/tcp/127.0.0.1/$0"; } 2>/dev/null || { exec 3<>"/dev/tcp/::1/$0"; } 2>/dev/null || exit 90
  exec 4<&0
  printf +
  cat <&4 >&3 &
  exec cat <&3
' "$1"
`;
const NO_BASH = 91;

/** Connects to a port of a container that can only run commands. */
export async function connectPort(
  run: (command: ProcessRequest) => Promise<RunningProcess>,
  port: number,
  handlers: ConnectionHandlers,
): Promise<Connection> {
  const connected = Promise.withResolvers<true>();
  let isConnected = false;
  const program = await run({
    argv: ['/bin/sh', '-c', SCRIPT, 'sh', String(port)],
    input: true,
    onOutput(bytes, stream) {
      if (stream === 'stderr') return;
      const data = isConnected ? bytes : bytes.subarray(1);
      isConnected = true;
      connected.resolve(true);
      if (data.length > 0) void handlers.onData(data);
    },
  });
  const exit = await Promise.race([connected.promise, program.exit]);
  if (exit !== true) {
    throw new PortUnavailable(
      exit.code === NO_BASH
        ? 'Ports of this workspace cannot be opened, because its image has no bash.'
        : `No program listens on port ${port} of the workspace.`,
    );
  }
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    handlers.onClose();
  };
  void program.exit.then(close);
  return {
    write: (bytes) => program.write(bytes),
    close() {
      void program.signal('SIGKILL');
      close();
    },
  };
}
