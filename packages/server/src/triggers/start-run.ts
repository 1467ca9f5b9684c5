import type { Json, TriggerRunStatus } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import { requestedProject } from '../entities/projects/queries.ts';
import { createWorkspace } from '../entities/workspaces/commands.ts';
import { checkOwnWorkspace } from '../entities/workspaces/queries.ts';
import { usableServers } from '../store/mcp-servers.ts';
import { requestedModel } from '../store/model-configs.ts';
import {
  activeRuns,
  findTriggerChat,
  insertTriggerRun,
  setTriggerChat,
  type TriggerRunRow,
} from '../store/queries/triggers/runs.ts';
import { type TimedTrigger, triggerSpend } from '../store/queries/triggers/triggers.ts';
import { onlyRow } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { renderKey, renderPrompt } from './prompt.ts';

/** Runs of a trigger that wait for an earlier one. */
const QUEUED_LIMIT = 1000;
const TITLE_LENGTH = 200;

/** Why a trigger fires. Without a time and a delivery: a user runs it. */
export interface Firing {
  readonly fireTime: Date | null;
  readonly deliveryId: string | null;
  readonly payload: Json;
}

/**
 * Starts runs: each is a row in one transaction with the message of its chat. The caller holds the lock of the trigger.
 * Throws `Refused`, and the transaction must then be rolled back.
 */
export class RunStarter {
  readonly #store: Store;
  readonly #workspaces: Workspaces | undefined;

  constructor(store: Store, workspaces: Workspaces | undefined) {
    this.#store = store;
    this.#workspaces = workspaces;
  }

  async start(tx: Transaction, trigger: TimedTrigger, firing: Firing): Promise<TriggerRunRow> {
    if (trigger.owner_suspended) {
      return await record(tx, trigger, firing, 'skipped', 'The owner is suspended.');
    }
    const { concurrency, chat, prompt } = trigger;
    const message = renderPrompt(prompt, firing.payload);
    const key = chat.continue && renderKey(chat.continue.key, firing.payload);
    await checkSpend(tx, trigger);
    if (key !== undefined) return await this.#continue(tx, trigger, firing, message, key);
    if (concurrency !== 'parallel') {
      const active = onlyRow(
        await tx.query(activeRuns, { trigger_id: trigger.id, limit: QUEUED_LIMIT }),
      );
      if (active.started || active.queued > 0) {
        if (concurrency === 'skip') return await record(tx, trigger, firing, 'skipped', BUSY);
        if (active.queued === QUEUED_LIMIT) throw tooManyQueued();
        return await record(tx, trigger, firing, 'queued', null, { message });
      }
    }
    const chatId = await this.#createChat(tx, trigger, message);
    return await record(tx, trigger, firing, 'started', null, { chatId });
  }

  /** The chat of a run that has waited. */
  async startQueued(tx: Transaction, trigger: TimedTrigger, message: string): Promise<string> {
    await checkSpend(tx, trigger);
    return await this.#createChat(tx, trigger, message);
  }

  async #createChat(
    tx: Transaction,
    trigger: TimedTrigger,
    message: string,
    key?: string,
  ): Promise<string> {
    const { id: trigger_id, owner_id, name, chat: settings } = trigger;
    const [project, mcp_server_ids, model] = [
      await requestedProject(tx, settings.project_id, owner_id),
      await usableServers(tx, settings.mcp_server_ids, owner_id),
      await requestedModel(tx, settings.model_config_id, owner_id),
    ];
    const title = key === undefined ? name : `${name} (${key})`;
    const { chat } = await this.#store.creation.createRequested(
      {
        id: uuidv7(),
        owner_id,
        trigger_id,
        title: title.slice(0, TITLE_LENGTH).toWellFormed(),
        title_source: 'user',
        content: [{ type: 'text', text: message }],
        model_config_id: model ?? project?.model_config_id ?? null,
        reasoning_effort: settings.reasoning_effort ?? null,
        system_prompt: settings.system_prompt ?? null,
        labels: settings.labels ?? {},
        plan_mode: settings.plan_mode ?? false,
        dynamic_tools: [],
        mcp_server_ids,
        workspace_id: await this.#workspaceOf(tx, trigger, title),
        project_id: project?.id ?? null,
      },
      tx,
    );
    return chat.id;
  }

  async #continue(
    tx: Transaction,
    trigger: TimedTrigger,
    firing: Firing,
    message: string,
    key: string,
  ): Promise<TriggerRunRow> {
    const { id: trigger_id, concurrency } = trigger;
    const [known] = await tx.query(findTriggerChat, { trigger_id, key });
    if (known !== undefined) {
      const isIdle = known.status === 'waiting' || known.status === 'error';
      if (!isIdle && concurrency === 'skip') {
        return await record(tx, trigger, firing, 'skipped', BUSY);
      }
      if (await this.#send(tx, trigger, known.chat_id, message)) {
        return await record(tx, trigger, firing, 'started', null, { chatId: known.chat_id });
      }
    }
    const chatId = await this.#createChat(tx, trigger, message, key);
    await tx.query(setTriggerChat, { trigger_id, key, chat_id: chatId });
    return await record(tx, trigger, firing, 'started', null, { chatId });
  }

  /** False: the chat was archived or deleted meanwhile. Nothing was written. */
  async #send(
    tx: Transaction,
    { owner_id, chat }: TimedTrigger,
    chatId: string,
    text: string,
  ): Promise<boolean> {
    const model_config_id = await requestedModel(tx, chat.model_config_id, owner_id);
    try {
      await this.#store.client.send(
        chatId,
        {
          busy_behavior: 'queue',
          content: [{ type: 'text', text }],
          model_config_id,
          reasoning_effort: chat.reasoning_effort ?? null,
          created_by: owner_id,
        },
        tx,
      );
      return true;
    } catch (error) {
      const isGone =
        error instanceof Refused && (error.code === 'chat_archived' || error.code === 'not_found');
      if (!isGone) throw error;
      return false;
    }
  }

  async #workspaceOf(
    tx: Transaction,
    { owner_id, chat: { workspace_id, template_id } }: TimedTrigger,
    name: string,
  ): Promise<string | null> {
    if (template_id === undefined) {
      await checkOwnWorkspace(tx, workspace_id, owner_id);
      return workspace_id ?? null;
    }
    const workspaces = requireWorkspaces(this.#workspaces);
    const { id } = await createWorkspace(workspaces, owner_id, { template_id, name }, tx, tx);
    return id;
  }
}

const BUSY = 'A previous run is still in progress.';

/** Writes a run. Skipped and refused runs have ended. */
export async function record(
  tx: Transaction,
  { id: trigger_id }: Pick<TimedTrigger, 'id'>,
  { fireTime, deliveryId }: Pick<Firing, 'fireTime' | 'deliveryId'>,
  status: TriggerRunStatus,
  reason: string | null,
  { chatId, message }: { readonly chatId?: string; readonly message?: string } = {},
): Promise<TriggerRunRow> {
  return onlyRow(
    await tx.query(insertTriggerRun, {
      id: uuidv7(),
      trigger_id,
      fire_time: fireTime,
      delivery_id: deliveryId,
      status,
      reason,
      chat_id: chatId ?? null,
      message: message ?? null,
    }),
  );
}

export function requireWorkspaces(workspaces: Workspaces | undefined): Workspaces {
  if (workspaces !== undefined) return workspaces;
  throw new Refused('workspaces_disabled', 'Workspaces are disabled on this server.');
}

async function checkSpend(
  tx: Transaction,
  { id, spend_limit_micros: limit }: TimedTrigger,
): Promise<void> {
  if (limit === null) return;
  const { spent_micros } = onlyRow(await tx.query(triggerSpend, { trigger_id: id }));
  if (spent_micros < limit) return;
  throw new Refused(
    'trigger_spend_limit',
    'The chats of this trigger have reached its spend limit for this month. Raise spend_limit_micros, or wait for the next month.',
  );
}

const tooManyQueued = () =>
  new Refused('queue_full', `${QUEUED_LIMIT} runs of this trigger already wait.`);
