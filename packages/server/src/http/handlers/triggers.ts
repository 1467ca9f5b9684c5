import { requireAdmin } from '../../auth/caller.ts';
import { notFound, Refused } from '../../chat/refused.ts';
import { listTriggerRuns } from '../../store/queries/triggers/runs.ts';
import { listTriggers } from '../../store/queries/triggers/triggers.ts';
import { presentTrigger, presentTriggerRun } from '../../triggers/present.ts';
import { renderPrompt } from '../../triggers/prompt.ts';
import { nextTimes } from '../../triggers/schedule.ts';
import type { HandlersOf } from '../call.ts';
import { decodeCursor, IdCursor, page, RunCursor } from '../request/cursor.ts';
import type { Services } from '../services.ts';

const PREVIEWED_TIMES = 5;

export const triggerHandlers = ({ triggers }: Services): HandlersOf<'Triggers'> => ({
  async listTriggers({ query, caller, db }) {
    const { all = false, limit, cursor } = query;
    if (all) requireAdmin(caller, 'all');
    const after = decodeCursor(IdCursor, cursor);
    const listed = await db.query(listTriggers, {
      owner_id: all ? null : caller.user.id,
      after_id: after?.id ?? null,
      limit: limit + 1,
    });
    const { rows, next_cursor } = page(listed, limit, ({ id }) => ({ id }));
    return { status: 200, body: { triggers: rows.map(presentTrigger), next_cursor } };
  },

  async createTrigger({ caller, body, tx }) {
    const { row, secret } = await triggers.commands.create(caller.user.id, body, tx);
    return { status: 201, body: { ...presentTrigger(row), ...shownOnce(secret) } };
  },

  async previewTrigger({ body }) {
    const { cron, timezone = 'UTC', prompt, payload = {} } = body;
    const times = await attempt(cron, async (cron) =>
      nextTimes(cron, timezone, await triggers.now(), PREVIEWED_TIMES).map((time) =>
        time.toISOString(),
      ),
    );
    const message = await attempt(prompt, (prompt) => renderPrompt(prompt, payload));
    return {
      status: 200,
      body: {
        next_times: times.value,
        schedule_error: times.error,
        message: message.value,
        prompt_error: message.error,
      },
    };
  },

  getTrigger: async ({ found }) => ({ status: 200, body: presentTrigger(found.trigger) }),

  async updateTrigger({ found, body, tx }) {
    const { row, secret } = await triggers.commands.update(found.trigger.id, body, tx);
    return { status: 200, body: { ...presentTrigger(row), ...shownOnce(secret) } };
  },

  async deleteTrigger({ found, tx }) {
    await triggers.commands.delete(found.trigger.id, tx);
    return { status: 204 };
  },

  async runTrigger({ found, body, tx }) {
    const run = await triggers.run(found.trigger.id, body.payload ?? {}, tx);
    if (run === undefined) throw notFound();
    return { status: 201, body: presentTriggerRun(run) };
  },

  async listTriggerRuns({ found, query, db }) {
    const { limit, cursor, status } = query;
    const after = decodeCursor(RunCursor, cursor);
    const listed = await db.query(listTriggerRuns, {
      trigger_id: found.trigger.id,
      status: status ?? null,
      after_position: after?.position ?? null,
      after_id: after?.id ?? null,
      limit: limit + 1,
    });
    const { rows, next_cursor } = page(listed, limit, ({ position, id }) => ({ position, id }));
    return { status: 200, body: { runs: rows.map(presentTriggerRun), next_cursor } };
  },
});

const shownOnce = (secret: string | undefined) => secret !== undefined && { secret };

/** A refusal is part of the response. */
async function attempt<Given, T>(
  given: Given | undefined,
  work: (given: Given) => T | Promise<T>,
): Promise<{ readonly value: T | null; readonly error: string | null }> {
  if (given === undefined) return { value: null, error: null };
  try {
    return { value: await work(given), error: null };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { value: null, error: error.message };
  }
}
