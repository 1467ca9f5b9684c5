import { randomUUID } from 'node:crypto';
import { type ConnectionHandlers, SandboxClosed } from '../drivers/driver.ts';
import type { HostedWorkspace, Machine, OwnMachine, TerminalView } from '../machine.ts';
import {
  DesktopTell,
  type OperationName,
  OPERATIONS,
  type Params,
  PrunedNames,
  type Result,
  RunTell,
  TerminalTell,
} from './operations.ts';
import type { Serve, ServedAnswer, ServedRequest, ServedStream } from './link-server.ts';
import { RemoteWorkspace } from './remote-workspace.ts';

/** Output of a program that waits for a slow connection, above which the program is killed. */
const RUN_LIMIT = 16 * 1024 * 1024;
/** Waiting output above which a terminal is paused for this viewer. */
const TERMINAL_LIMIT = 128 * 1024;
/** Waiting bytes above which the connection to a display is closed. A client requests each update. */
const DESKTOP_LIMIT = 64 * 1024 * 1024;

type Handlers = {
  readonly [Name in OperationName]: (
    params: Params<Name>,
    request: ServedRequest,
  ) => Promise<Omit<ServedAnswer, 'result'> & { readonly result?: Sent<Name> }>;
};
/** Undefined fields are not sent. */
type Sent<Name extends OperationName> = Result<Name> | null;

/**
 * Answers requests with a machine: its own side of the connection, or the replica that holds it for another replica.
 * Create one for each link.
 */
export function serveMachine(machine: Machine | OwnMachine): Serve {
  const handlers = handlersOf(machine);
  return async (request) => {
    if (!Object.hasOwn(OPERATIONS, request.op))
      throw new Error(`The machine does not know the operation ${request.op}. Upgrade it.`);
    const name = request.op as OperationName;
    const params = OPERATIONS[name].params.parse(request.params);
    return await (handlers[name] as Handlers['stop'])(params as never, request);
  };
}

const own = (machine: Machine | OwnMachine): OwnMachine => {
  if ('settle' in machine) return machine;
  throw new Error('Only the replica that holds the connection asks for this.');
};

function handlersOf(machine: Machine | OwnMachine): Handlers {
  const opened = new Map<string, HostedWorkspace>();

  const answerOpen = (id: string, workspace: HostedWorkspace, { stream }: ServedRequest) => {
    opened.set(id, workspace);
    const forget = (reason: string) => {
      if (opened.get(id) === workspace) opened.delete(id);
      stream.end(reason);
    };
    void workspace.closed.then(forget);
    const { root, shell } = workspace;
    return {
      stream: true,
      result: { workspace: id, instance: instanceOf(workspace), root, shell },
    } as const;
  };

  const on = ({ workspace }: { readonly workspace: string }): HostedWorkspace => {
    const found = opened.get(workspace);
    if (found !== undefined) return found;
    // It was: clients open it first.
    throw new SandboxClosed('it was closed meanwhile');
  };

  return {
    async capabilities() {
      return { result: await own(machine).capabilities() };
    },
    async workspaces() {
      return { result: [...(await own(machine).workspaces())] };
    },
    async calls() {
      return { result: [...(await own(machine).calls())] };
    },
    async settle({ calls }) {
      await own(machine).settle(calls);
      return {};
    },

    async set_up(request, { stream }) {
      const followed = new AbortController();
      stream.onLeave(() => followed.abort(new Error('the connection was lost')));
      machine
        .setUp({
          ...request,
          signal: followed.signal,
          // The log of a setup is cut in the middle as well.
          onOutput: (bytes) => {
            if (stream.pending < RUN_LIMIT) stream.write(bytes);
          },
        })
        .then(
          (result) => stream.end(result),
          (error: unknown) => stream.fail(error),
        );
      return { stream: true };
    },
    async stop({ spec }) {
      await machine.stop(spec);
      return {};
    },
    async remove({ spec }) {
      await machine.remove(spec);
      return {};
    },
    async open({ spec }, request) {
      return answerOpen(spec.id, await machine.open(spec), request);
    },
    async peek({ workspace: id, instance }, request) {
      const workspace = await machine.peek(id);
      if (
        workspace === undefined ||
        (instance !== undefined && instance !== instanceOf(workspace))
      ) {
        request.stream.end(null);
        return { stream: true, result: null };
      }
      return answerOpen(id, workspace, request);
    },

    async accept({ workspace, hosts }, { stream, signal }) {
      const connection = await machine.accept({
        workspaceId: workspace,
        hosts,
        signal,
        handlers: toStream(stream),
      });
      stream.onLeave(() => connection.close());
      stream.onData((bytes) => connection.write(bytes));
      return { stream: true };
    },

    async read({ path, from, length, ...of }) {
      const { bytes, size } = await on(of).files.read(path, from, length);
      return { result: { size }, bytes };
    },
    async write({ path, ...of }, { bytes }) {
      return { result: { created: await on(of).files.write(path, bytes) } };
    },
    async replace({ path, expected, ...of }, { bytes }) {
      return { result: { created: await on(of).files.write(path, bytes, expected) } };
    },
    async stat({ path, ...of }) {
      return { result: (await on(of).files.stat(path)) ?? null };
    },
    async list({ path, depth, limit, skip, ...of }) {
      const { entries, more } = await on(of).files.list(path, { depth, limit, skip });
      return { result: { entries: [...entries], more } };
    },

    async start({ workspace, keep_after_ms, ...command }, { stream }) {
      const started = await on({ workspace }).commands.start({
        ...command,
        call: command.call,
        keepAfterMs: keep_after_ms,
        onOutput(bytes, at) {
          stream.write(bytes, at);
          return stream.pending === 0 ? undefined : stream.drained();
        },
      });
      stream.onLeave(() => started.leave());
      started.exit.then(
        (exit) => stream.end(exit),
        (error: unknown) => stream.fail(error),
      );
      return { stream: true, result: { id: started.id, attached: started.isAttached } };
    },
    async find({ id, ...of }) {
      return { result: (await on(of).commands.find(id)) ?? null };
    },
    async commands(of) {
      return { result: [...(await on(of).commands.list())] };
    },
    async output({ id, after, ...of }) {
      return { result: (await on(of).commands.output(id, after)) ?? null };
    },
    async exit({ id, ...of }, { signal }) {
      return { result: (await on(of).commands.exit(id, signal)) ?? null };
    },
    async signal({ id, name, ...of }) {
      await on(of).commands.signal(id, name as NodeJS.Signals);
      return {};
    },
    async keep({ id, ...of }) {
      await on(of).commands.keep(id);
      return {};
    },

    async run({ workspace, argv, cwd, env, background, input }, { stream, bytes }) {
      let kill: (() => void) | undefined;
      const running = await on({ workspace }).run({
        argv,
        ...(cwd !== undefined && { cwd }),
        ...(env && { env }),
        ...(background !== undefined && { background }),
        ...(input !== undefined && { input }),
        ...(bytes.length > 0 && { stdin: bytes }),
        onOutput(output, from) {
          stream.write(output, from === 'stderr' ? 1 : 0);
          if (stream.pending > RUN_LIMIT) kill?.();
        },
      });
      kill = () => void running.signal('SIGKILL').catch(() => undefined);
      stream.onLeave(kill);
      stream.onData((given) => running.write(given));
      stream.onTell((message) => {
        const tell = RunTell.parse(message);
        if ('end_input' in tell) return running.endInput();
        const done =
          'keep' in tell ? running.keep() : running.signal(tell.signal as NodeJS.Signals);
        done.catch(() => undefined);
      });
      void running.exit.then((exit) => stream.end(exit));
      return { stream: true };
    },
    async revision(of) {
      return { result: await on(of).revision() };
    },
    async outcome({ call, ...of }) {
      return { result: await on(of).outcome(call) };
    },
    async write_all({ call, files, result, ...of }, { bytes }) {
      let at = 0;
      const contents = files.map(({ path, length }) => ({
        path,
        bytes: bytes.subarray(at, (at += length)),
      }));
      if (at !== bytes.length) throw new Error('The lengths of the files do not match the body.');
      return { result: { result: await on(of).writeAll(call, contents, result) } };
    },

    async terminals(of) {
      return { result: [...(await on(of).terminals.list())] };
    },
    async open_terminal({ id, size, ...of }) {
      return { result: await on(of).terminals.open(id, size) };
    },
    async attach_terminal({ id, seen, ...of }, { stream }) {
      // The client and the connection can each pause the output.
      let view: TerminalView | undefined;
      let wanted = true;
      let isFull = false;
      const flow = () => view?.flow(wanted && !isFull);
      const fill = (full: boolean) => {
        isFull = full;
        flow();
      };
      view = await on(of).terminals.attach(id, seen, {
        onOutput(bytes) {
          stream.write(bytes);
          if (isFull || stream.pending < TERMINAL_LIMIT) return;
          fill(true);
          void stream.drained().then(() => fill(false));
        },
        onEnd: (exit) => stream.end(exit),
      });
      if (view === undefined) {
        stream.end(null);
        return { stream: true, result: null };
      }
      if (isFull) flow();
      const attached = view;
      stream.onLeave(() => attached.leave());
      stream.onData((bytes) => attached.write(bytes));
      stream.onTell((message) => {
        const tell = TerminalTell.parse(message);
        if ('resize' in tell) attached.resize(tell.resize);
        else if ('end' in tell) attached.end();
        else {
          wanted = tell.flow;
          flow();
        }
      });
      const { from, resumed, replay } = view;
      return { stream: true, result: { from, resumed, replay } };
    },

    async ports(of) {
      return { result: [...(await on(of).ports.list())] };
    },
    async connect_port({ port, ...of }, { stream }) {
      const connection = await on(of).ports.connect(port, toStream(stream));
      stream.onLeave(() => connection.close());
      stream.onData((bytes) => connection.write(bytes));
      return { stream: true };
    },

    async save_checkpoint({ id, base, ...of }) {
      const { tooLarge, ...saved } = await on(of).checkpoints.save(id, base);
      return { result: { ...saved, tooLarge: [...tooLarge] } };
    },
    async diff_checkpoints({ from, to, ...of }) {
      const { patch, ...result } = await on(of).checkpoints.diff(from, to);
      return { result, bytes: Buffer.from(patch) };
    },
    async checkpoint_conflicts({ last, present, target, ...of }) {
      return { result: [...(await on(of).checkpoints.conflicts({ last, present, target }))] };
    },
    async restore_checkpoint({ id, target, expected, ...of }) {
      return { result: await on(of).checkpoints.restore(id, target, expected) };
    },
    async prune_checkpoints({ before, ...of }, { bytes }) {
      const { keep, remove } = PrunedNames.parse(JSON.parse(bytes.toString('utf8')));
      await on(of).checkpoints.prune({ keep, remove, before });
      return {};
    },

    async start_desktop({ size, ...of }) {
      await on(of).desktop.start(size);
      return {};
    },
    async desktop(of) {
      return { result: (await on(of).desktop.state()) ?? null };
    },
    async connect_desktop({ client, ...of }, { stream }) {
      let close: (() => void) | undefined;
      const link = await on(of).desktop.connect(client, {
        onData(bytes) {
          stream.write(bytes);
          if (stream.pending > DESKTOP_LIMIT) close?.();
        },
        onClose: () => stream.end(null),
        onState: (state, yours) => stream.say({ state, yours }),
      });
      close = () => link.close();
      stream.onLeave(close);
      stream.onData((bytes) => void link.write(bytes));
      stream.onTell((message) => {
        if (DesktopTell.parse(message).control) link.take();
        else link.giveBack();
      });
      return { stream: true };
    },
  };
}

/** A connection whose data goes to the client of a stream. */
const toStream = (stream: ServedStream): ConnectionHandlers => ({
  onData(bytes) {
    stream.write(bytes);
    return stream.pending === 0 ? undefined : stream.drained();
  },
  onClose: () => stream.end(null),
});

const instances = new WeakMap<HostedWorkspace, string>();

/** Tells an open sandbox apart from a later one of the same workspace, on whichever replica. */
function instanceOf(workspace: HostedWorkspace): string {
  if (workspace instanceof RemoteWorkspace) return workspace.instance;
  const instance = instances.get(workspace) ?? randomUUID();
  instances.set(workspace, instance);
  return instance;
}
