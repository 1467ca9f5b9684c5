import {
  type NewTrigger,
  type TriggerChanges,
  type TriggerChat,
  TRIGGERS_LIMIT,
  type WebhookVerification,
} from '@chatd/protocol';
import { type FieldError, notFound, Refused, refusedFields } from '../chat/refused.ts';
import { requestedProject } from '../entities/projects/queries.ts';
import { sealOrRefuse } from '../entities/secrets-and-urls.ts';
import { checkOwnWorkspace } from '../entities/workspaces/queries.ts';
import { withinQuota } from '../limits/quota.ts';
import type { Vault } from '../secrets/vault.ts';
import { toJson } from '../store/json.ts';
import { usableServers } from '../store/mcp-servers.ts';
import { requestedModel } from '../store/model-configs.ts';
import { databaseTime } from '../store/queries/database-time.ts';
import {
  deleteRunsOfTrigger,
  deleteTrigger,
  insertTrigger,
  lockTrigger,
  lockTriggerRow,
  type TriggerRow,
  triggerSecretsOf,
  updateTrigger,
} from '../store/queries/triggers/triggers.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { checkInserts } from './prompt.ts';
import { nextTime } from './schedule.ts';
import { requireWorkspaces } from './start-run.ts';
import { checkSecret, generatedSecret } from './verification.ts';

const DEFAULT_MAX_FAILURES = 5;

interface SavedTrigger {
  readonly row: TriggerRow;
  /** A secret that was generated. */
  readonly secret: string | undefined;
}

interface CommandOptions {
  readonly vault: Vault;
  readonly workspaces: Workspaces | undefined;
  /** Called after the commit. */
  readonly changed: () => void;
}

export class TriggerCommands {
  readonly #options: CommandOptions;

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  async create(owner_id: string, given: NewTrigger, tx: Transaction): Promise<SavedTrigger> {
    const { kind, ...change } = given;
    const now = await databaseTime(tx);
    const saved = await this.#save(emptyTrigger(owner_id, kind, now), change, now, tx);
    const quota = { userId: owner_id, of: 'triggers', most: TRIGGERS_LIMIT } as const;
    const [row] = await withinQuota(tx, quota, () =>
      tx.query(insertTrigger, { ...saved.row, chat: toJson(saved.row.chat) }),
    );
    if (row === undefined) throw nameTaken(given.name);
    tx.afterCommit(this.#options.changed);
    return { row, secret: saved.secret };
  }

  async update(id: string, change: TriggerChanges, tx: Transaction): Promise<SavedTrigger> {
    const [before] = await tx.query(lockTriggerRow, { id });
    if (before === undefined) throw notFound();
    const { now, ...trigger } = before;
    const saved = await this.#save(trigger, change, now, tx);
    const [row] = await tx.query(updateTrigger, { ...saved.row, chat: toJson(saved.row.chat) });
    if (row === undefined) throw nameTaken(saved.row.name);
    tx.afterCommit(this.#options.changed);
    return { row, secret: saved.secret };
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    await tx.query(lockTrigger, { id });
    await tx.query(deleteRunsOfTrigger, { trigger_id: id });
    const [deleted] = await tx.query(deleteTrigger, { id });
    if (deleted === undefined) throw notFound();
  }

  /** The row after a change, checked and with a sealed secret. */
  async #save(
    before: TriggerRow,
    change: TriggerChanges,
    now: Date,
    tx: Transaction,
  ): Promise<SavedTrigger> {
    const { verify, ...rest } = change;
    const row = planTrigger(before, rest, now);
    const errors = conflictingFields(row, change, before.secrets === null);
    if (errors.length > 0) throw refusedFields(errors);
    if (change.prompt !== undefined) checkInserts(change.prompt);
    if (change.chat !== undefined) await this.#checkChat(change.chat, row.owner_id, tx);
    if (verify === undefined) return { row, secret: undefined };
    const { secrets, generated } = this.#seal(verify, row.id);
    return { row: { ...row, verification: verify.type, secrets }, secret: generated };
  }

  #seal(
    { type, secret }: { readonly type: WebhookVerification; readonly secret?: string | undefined },
    id: string,
  ): { readonly secrets: string; readonly generated: string | undefined } {
    const generated = secret === undefined ? generatedSecret(type) : undefined;
    const shared = secret ?? generated;
    if (shared === undefined) {
      throw refusedFields([
        { path: 'verify.secret', message: `is required for ${type}: its sender generates it` },
      ]);
    }
    checkSecret(type, shared);
    const { vault } = this.#options;
    return { secrets: sealOrRefuse(vault, { secret: shared }, triggerSecretsOf(id)), generated };
  }

  /** Refuses what the owner cannot use now. Each run checks it again. */
  async #checkChat(chat: TriggerChat, owner_id: string, tx: Transaction): Promise<void> {
    if (chat.continue !== undefined) checkInserts(chat.continue.key);
    await checkOwnWorkspace(tx, chat.workspace_id, owner_id);
    await requestedProject(tx, chat.project_id, owner_id);
    await requestedModel(tx, chat.model_config_id, owner_id);
    await usableServers(tx, chat.mcp_server_ids, owner_id);
    if (chat.template_id === undefined) return;
    const { templates } = requireWorkspaces(this.#options.workspaces);
    const known = (await templates.list(tx)).some(({ id }) => id === chat.template_id);
    if (known) return;
    throw new Refused('unknown_template', `Template ${chat.template_id} does not exist.`);
  }
}

/** The row after a change of its fields. A new schedule starts from now. */
function planTrigger(
  before: TriggerRow,
  change: Omit<TriggerChanges, 'verify'>,
  now: Date,
): TriggerRow {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const after: TriggerRow = { ...before, ...Object.fromEntries(given) };
  const isSchedule = after.kind === 'schedule';
  const row: TriggerRow = {
    ...after,
    timezone: isSchedule ? (after.timezone ?? 'UTC') : after.timezone,
    missed: isSchedule ? (after.missed ?? 'skip') : after.missed,
    ...(change.enabled === true && { failures: 0, disabled_reason: null }),
  };
  const { cron, timezone, enabled } = row;
  if (!isSchedule || cron === null || timezone === null) return row;
  const isSame = cron === before.cron && timezone === before.timezone && enabled === before.enabled;
  if (isSame) return row;
  const next = nextTime(cron, timezone, now);
  if (next === null) throw neverFires(cron);
  return { ...row, next_fire_at: enabled ? next : null };
}

function conflictingFields(
  row: TriggerRow,
  change: TriggerChanges,
  lacksSecret: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const foreign =
    row.kind === 'schedule' ? (['verify'] as const) : (['cron', 'timezone', 'missed'] as const);
  for (const path of foreign) {
    if (change[path] !== undefined) {
      errors.push({ path, message: `cannot be set for a ${row.kind}` });
    }
  }
  if (row.kind === 'schedule' && row.cron === null) {
    errors.push({ path: 'cron', message: 'is required for a schedule' });
  }
  if (row.kind === 'webhook' && lacksSecret && change.verify === undefined) {
    errors.push({ path: 'verify', message: 'is required for a webhook' });
  }
  if (row.chat.workspace_id !== undefined && row.chat.template_id !== undefined) {
    errors.push({ path: 'chat.template_id', message: 'cannot be combined with workspace_id' });
  }
  return errors;
}

const emptyTrigger = (owner_id: string, kind: TriggerRow['kind'], now: Date): TriggerRow => ({
  id: uuidv7(),
  owner_id,
  name: '',
  kind,
  enabled: true,
  disabled_reason: null,
  cron: null,
  timezone: null,
  missed: null,
  next_fire_at: null,
  verification: null,
  secrets: null,
  prompt: '',
  chat: {},
  concurrency: 'queue',
  max_failures: DEFAULT_MAX_FAILURES,
  failures: 0,
  spend_limit_micros: null,
  created_at: now,
  updated_at: now,
});

const nameTaken = (name: string) =>
  new Refused('trigger_name_taken', `You already have a trigger named ${name}.`);

const neverFires = (cron: string) =>
  new Refused('invalid_schedule', `${JSON.stringify(cron)} has no time in the future.`);
