/*
 * The operations of a machine over a link: what each takes and returns. Both sides validate with these schemas: the
 * server does not trust a machine, and the two may have different versions. Unknown fields are ignored.
 */

import { TemplateDefinition, WorkspaceNetwork } from '@chatd/protocol';
import { z } from 'zod';
import type { Answer } from './link-client.ts';

const Count = z.int().min(0);
const Path = z.string().max(8192);
const Id = z.string().min(1).max(200);
const Text = z.string().max(2 * 1024 * 1024);

const Spec = z.object({
  id: z.uuid(),
  driver: TemplateDefinition.shape.driver,
  env: z.record(z.string(), z.string()),
  limits: z.object({
    memory_mb: z.number().optional(),
    processes: z.number().optional(),
    disk_mb: z.number().optional(),
  }),
  network: WorkspaceNetwork,
  image: z.string().optional(),
  gitHosts: z.array(z.string().max(300)).max(1000).readonly().optional(),
});

export const Exit = z.object({ code: z.int().nullable(), signal: z.string().max(20).nullable() });
export const CommandExit = Exit.extend({ notice: z.string().max(8192).optional() });

const Entry = z.object({
  path: Path,
  kind: z.enum(['file', 'directory', 'link', 'other']),
  size: z.number(),
  modified: z.number(),
});

const Info = z.object({
  id: Id,
  command: Text,
  cwd: Path,
  startedAt: z.number(),
  endedAt: z.number().optional(),
  exit: Exit.optional(),
  outputBytes: Count,
});

const Size = z.object({ cols: z.int().min(1).max(10_000), rows: z.int().min(1).max(10_000) });
const DesktopSize = z.object({
  width: z.int().min(1).max(16_384),
  height: z.int().min(1).max(16_384),
});

const DesktopState = DesktopSize.extend({
  person: z.string().max(1000).nullable(),
  agentWaits: z.boolean(),
  viewers: Count,
});

const Nothing = z.unknown().transform(() => undefined);
/** Every operation on an open workspace names it. */
const inWorkspace = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ workspace: z.uuid(), ...shape });

export const PrunedNames = z.object({ keep: z.array(z.uuid()), remove: z.array(z.uuid()) });

const Signal = z.string().regex(/^SIG[A-Z0-9]{2,10}$/);

const Opened = z.object({ workspace: z.uuid(), instance: Id, root: Path, shell: Path }).nullable();

const Tree = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);

export const OPERATIONS = {
  capabilities: {
    params: z.object({}),
    result: z.object({ sandbox: z.boolean(), docker: z.boolean(), desktop: z.boolean() }),
  },
  workspaces: { params: z.object({}), result: z.array(z.uuid()).max(100_000) },
  calls: {
    params: z.object({}),
    result: z.array(z.object({ call: Id, running: z.boolean() })).max(100_000),
  },
  settle: { params: z.object({ calls: z.array(Id) }), result: Nothing },
  set_up: {
    params: z.object({
      spec: Spec,
      definition: TemplateDefinition.loose(),
      files: z.object({ workspace_id: z.uuid(), tree: Tree }).optional(),
      attempt: Id,
    }),
    result: Nothing,
  },
  stop: { params: z.object({ spec: Spec }), result: Nothing },
  remove: { params: z.object({ spec: Spec }), result: Nothing },
  /** The stream ends with the reason when the sandbox has closed. */
  open: { params: z.object({ spec: Spec }), result: Opened },
  /** Opens what is open already. With an instance: that one only. */
  peek: { params: z.object({ workspace: z.uuid(), instance: Id.optional() }), result: Opened },
  /** Answered with the next connection to the server, which the stream carries in both directions. */
  accept: {
    params: inWorkspace({ hosts: z.array(z.string().max(300)).max(1000) }),
    result: Nothing,
  },
  read: {
    params: inWorkspace({ path: Path, from: Count, length: Count }),
    result: z.object({ size: Count }),
  },
  write: { params: inWorkspace({ path: Path }), result: z.object({ created: z.boolean() }) },
  /** Writes a file that is as expected. An operation of its own: an older machine would not check. */
  replace: {
    params: inWorkspace({ path: Path, expected: z.string().max(64).nullable() }),
    result: z.object({ created: z.boolean() }),
  },
  stat: { params: inWorkspace({ path: Path }), result: Entry.nullable() },
  list: {
    params: inWorkspace({ path: Path, depth: Count, limit: Count, skip: z.array(Path) }),
    result: z.object({ entries: z.array(Entry), more: z.boolean() }),
  },
  /** The stream carries the output, marked with its position, and ends with the exit. */
  start: {
    params: inWorkspace({
      call: Id.optional(),
      command: Text,
      cwd: Path,
      background: z.boolean(),
      from: Count,
      attach: z.boolean(),
      keep_after_ms: z.number().min(0).optional(),
    }),
    result: z.object({ id: Id, attached: z.boolean().optional() }),
  },
  find: { params: inWorkspace({ id: Id }), result: Info.nullable() },
  commands: { params: inWorkspace({}), result: z.array(Info) },
  output: {
    params: inWorkspace({ id: Id, after: Count.optional() }),
    result: z.object({ text: Text, next: Count, info: Info }).nullable(),
  },
  exit: { params: inWorkspace({ id: Id }), result: Exit.nullable() },
  signal: { params: inWorkspace({ id: Id, name: Signal }), result: Nothing },
  keep: { params: inWorkspace({ id: Id }), result: Nothing },
  /** The stream carries stdout, and stderr with the mark 1, and ends with the exit. With `input`, it carries stdin. */
  run: {
    params: inWorkspace({
      argv: z.tuple([z.string()]).rest(z.string()),
      cwd: Path.optional(),
      env: z.record(z.string(), z.string()).optional(),
      background: z.boolean().optional(),
      input: z.boolean().optional(),
    }),
    result: Nothing,
  },
  revision: { params: inWorkspace({}), result: z.number() },
  outcome: {
    params: inWorkspace({ call: Id }),
    result: z.discriminatedUnion('state', [
      z.object({ state: z.literal('unknown') }),
      z.object({ state: z.literal('running') }),
      z.object({ state: z.literal('finished'), result: Text }),
      z.object({ state: z.literal('lost') }),
    ]),
  },
  /** The body is the contents of the files, one after the other. */
  write_all: {
    params: inWorkspace({
      call: Id,
      files: z.array(z.object({ path: Path, length: Count })),
      result: Text,
    }),
    result: z.object({ result: Text }),
  },
  terminals: {
    params: inWorkspace({}),
    result: z.array(z.object({ id: Id, createdAt: z.number(), viewers: Count })),
  },
  open_terminal: {
    params: inWorkspace({ id: z.string().max(200).optional(), size: Size }),
    result: z.object({ id: Id, isNew: z.boolean() }),
  },
  /** The stream carries output and input, and ends with the exit. */
  attach_terminal: {
    params: inWorkspace({ id: Id, seen: Count.optional() }),
    result: z.object({ from: Count, resumed: z.boolean(), replay: Count }).nullable(),
  },
  ports: {
    params: inWorkspace({}),
    result: z
      .array(
        z.object({
          port: z.int().min(1).max(65_535),
          program: z.string().max(200).optional(),
        }),
      )
      .max(1000),
  },
  /** The stream carries the connection in both directions. */
  connect_port: {
    params: inWorkspace({ port: z.int().min(1).max(65_535) }),
    result: Nothing,
  },
  save_checkpoint: {
    params: inWorkspace({ id: z.uuid(), base: Tree.nullable() }),
    result: z.object({
      tree: Tree,
      changes: Text.nullable(),
      tooLarge: z.array(Path).max(100),
    }),
  },
  /** The body of the answer is the patch. */
  diff_checkpoints: {
    params: inWorkspace({ from: Tree, to: Tree }),
    result: z.object({ changes: Text, changesCut: z.boolean(), patchCut: z.boolean() }),
  },
  checkpoint_conflicts: {
    params: inWorkspace({ last: Tree.nullable(), present: Tree, target: Tree }),
    result: z.array(Path).max(1000),
  },
  restore_checkpoint: {
    params: inWorkspace({ id: z.uuid(), target: Tree, expected: Tree }),
    result: z.boolean(),
  },
  /** The body is the UUIDs as JSON. */
  prune_checkpoints: { params: inWorkspace({ before: z.number() }), result: Nothing },
  start_desktop: { params: inWorkspace({ size: DesktopSize }), result: Nothing },
  desktop: { params: inWorkspace({}), result: DesktopState.nullable() },
  /** The stream carries RFB in both directions. */
  connect_desktop: {
    params: inWorkspace({
      client: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('agent') }),
        z.object({ kind: z.literal('viewer'), name: z.string().max(1000) }),
      ]),
    }),
    result: Nothing,
  },
} as const;

export type OperationName = keyof typeof OPERATIONS;
export type Params<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]['params']>;
export type Result<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]['result']>;

/** What the client of a stream tells the other side. */
export const RunTell = z.union([
  z.object({ signal: Signal }),
  z.object({ keep: z.literal(true) }),
  z.object({ end_input: z.literal(true) }),
]);
export const TerminalTell = z.union([
  z.object({ resize: Size }),
  z.object({ flow: z.boolean() }),
  z.object({ end: z.literal(true) }),
]);
export const DesktopTell = z.object({ control: z.boolean() });
export const DesktopSay = z.object({ state: DesktopState, yours: z.boolean() });

export const SetupEnd = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), baselines: z.record(z.string(), z.string()) }),
  z.object({ ok: z.literal(false), error: Text }),
]);

/** Validates the answer of a machine. */
export function parsed<Name extends OperationName>(
  op: Name,
  { result, bytes }: Answer,
): { readonly result: Result<Name>; readonly bytes: Buffer } {
  const known = OPERATIONS[op].result.safeParse(result);
  if (!known.success) throw new Error(`The machine gave an invalid answer to ${op}.`);
  return { result: known.data as Result<Name>, bytes };
}
