import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** Errors that PostgreSQL raises and that leave the connection usable. */
const SQLSTATES = ['53100', '53200', '40001', '40P01', '57014', '55P03'] as const;

/** What happens to a statement. `lost`: PostgreSQL runs it, and the connection breaks before the response. */
export const FAULTS = [...SQLSTATES, '57P01', 'cut', 'lost'] as const;
export type Fault = (typeof FAULTS)[number];

/** One request of a client that PostgreSQL answers as a whole: a simple query, or everything up to a Sync. */
export interface StatementRequest {
  /** The name of the prepared statement, or the text of the query. */
  readonly name: string;
  /** Its position among the requests since the proxy began to count. */
  readonly position: number;
}

export type ChooseFault = (request: StatementRequest) => Fault | undefined;
const noFaults: ChooseFault = () => undefined;

export interface FaultProxy {
  /** The database through the proxy. */
  readonly url: string;
  /** Starts to count requests from 0, and calls `chooseFault` for each. Default: no faults. */
  watch(chooseFault?: ChooseFault): void;
  /** The requests since `watch`. */
  readonly requests: readonly StatementRequest[];
  close(): Promise<void>;
}

const SYNC = 'S';
const SIMPLE_QUERY = 'Q';
const BIND = 'B';
const READY = 'Z';
/** What `Database` sends when it connects. It is not part of a command. */
const SESSION = /^SET /;

/**
 * A proxy in front of a real PostgreSQL that makes single statements fail. PostgreSQL itself raises the errors, so that
 * the transaction is in the state that a real error leaves behind.
 */
export async function startFaultProxy(database: string): Promise<FaultProxy> {
  const { username, password, pathname, searchParams } = new URL(database);
  const path = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  const requests: StatementRequest[] = [];
  let chooseFault = noFaults;

  const decide = (name: string): Fault | undefined => {
    if (SESSION.test(name)) return undefined;
    const request = { name, position: requests.length };
    requests.push(request);
    return chooseFault(request);
  };

  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ path });
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        cut();
        sockets.delete(socket);
      });
    }
    /** The responses left until the connection breaks. Undefined: it stays open. */
    let responsesLeft: number | undefined;
    let unanswered = 1;
    let request: Buffer[] = [];
    let name = '';

    const forward = (messages: Buffer) => {
      unanswered += 1;
      server.write(messages);
    };
    const complete = () => {
      const fault = decide(name);
      if (fault === 'cut') return cut();
      if (fault === undefined || fault === 'lost') forward(Buffer.concat(request));
      else forward(simpleQuery(failure(fault)));
      if (fault === 'lost') responsesLeft = unanswered - 1;
    };
    readMessages(client, true, (type, message) => {
      if (responsesLeft !== undefined) return;
      if (type === '' || type === 'p') {
        server.write(message);
        return;
      }
      request.push(message);
      if (type === BIND) name = statementOf(message);
      if (type === SIMPLE_QUERY) name = message.toString('utf8', 5, message.length - 1);
      if (type !== SYNC && type !== SIMPLE_QUERY) return;
      complete();
      request = [];
    });
    readMessages(server, false, (type, message) => {
      if (type === READY) unanswered -= 1;
      if (responsesLeft === 0) {
        if (type === READY) cut();
        return;
      }
      client.write(message);
      if (type === READY && responsesLeft !== undefined) responsesLeft -= 1;
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `postgresql://${username}:${password}@127.0.0.1:${address.port}${pathname}`,
    requests,
    watch(next = noFaults) {
      requests.length = 0;
      chooseFault = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

const failure = (fault: Exclude<Fault, 'cut' | 'lost'>): string =>
  fault === '57P01'
    ? 'SELECT pg_terminate_backend(pg_backend_pid())'
    : `DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${fault}'; END $$`;

function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write(SIMPLE_QUERY);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Bind: the portal, then the statement, both ended by a zero. */
function statementOf(bind: Buffer): string {
  const portalEnd = bind.indexOf(0, 5);
  return bind.toString('utf8', portalEnd + 1, bind.indexOf(0, portalEnd + 1));
}

/** Messages have a type of one byte and a length; the first message of a client has no type. */
function readMessages(
  socket: Socket,
  untypedFirst: boolean,
  take: (type: string, message: Buffer) => void,
): void {
  let pending = Buffer.alloc(0);
  let typeBytes = untypedFirst ? 0 : 1;
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= typeBytes + 4) {
      const end = typeBytes + pending.readInt32BE(typeBytes);
      if (pending.length < end) return;
      const message = pending.subarray(0, end);
      pending = pending.subarray(end);
      const type = message.toString('latin1', 0, typeBytes);
      typeBytes = 1;
      take(type, message);
    }
  });
}
