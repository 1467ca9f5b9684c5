import type { Chat, Spend } from '@chatd/protocol';
import { Api } from '../../clients/api.ts';
import { Conversation } from '../../clients/conversation.ts';
import type { RetryingWitness } from '../retrying-witness.ts';
import { type Action, answered, waitFor, SHORT_TEXT, type ActionContext } from '../action.ts';
import { addUser } from '../users.ts';

/** Cost of an answer: ten input tokens, five output tokens. */
const ANSWER_MICROS = 15;
const LIMIT_MICROS = 40;
/** The last answer may exceed the limit. */
const MAX_ANSWERS = Math.ceil(LIMIT_MICROS / ANSWER_MICROS);

/** A new user reaches their spend limit, gets a higher one, and is deleted. */
export const reachSpendLimit: Action = async (_, context) => {
  const { api: admin, deployment, counts, seedData, witness } = context;
  const user = await addUser(admin);
  await admin.patch(`/users/${user.id}`, { spend_limit_micros: LIMIT_MICROS });
  const api = new Api(() => deployment.urls, user.token);
  const properties = { model_config_id: seedData.pricedModel };
  const chat = await Conversation.begin(api, SHORT_TEXT, {}, properties);
  try {
    const refused = await sendUntilRefused(chat, context);
    if (deployment.model.requestCount(refused.id, 0) > 0) {
      throw new Error(
        `chat ${chat.chatId}: the model was called for ${refused.id} beyond the spend limit`,
      );
    }
    counts.add('spend limits reached');
    await admin.patch(`/users/${user.id}`, { spend_limit_micros: 1_000_000 });
    await chat.send(SHORT_TEXT);
    await answered(chat, counts);
    await expectRecordedUsage(chat, await admin.get<Spend>(`/users/${user.id}/spend`), context);
  } finally {
    await chat.viewer.close();
    for (const plan of chat.acknowledged) deployment.model.forget(plan);
  }
  await admin.delete(`/users/${user.id}`);
  await expectNoRowsLeft(chat.chatId, witness);
  counts.add('users deleted with their data');
};

/** Resolves to the message that exceeded the limit. */
async function sendUntilRefused(chat: Conversation, { counts }: ActionContext) {
  for (let answers = 0; answers <= MAX_ANSWERS; answers += 1) {
    if (answers > 0) await chat.send(SHORT_TEXT);
    await waitFor(
      chat,
      'an answer or a refusal',
      (view) => chat.isAnswered(view) || (view.status === 'error' && view.error !== undefined),
    );
    if (chat.isAnswered()) {
      counts.add('turns answered');
      continue;
    }
    const { last_error } = await chat.api.get<Chat>(`/chats/${chat.chatId}`);
    if (last_error?.kind === 'spend_limit') return chat.last;
    throw new Error(`chat ${chat.chatId} failed: ${JSON.stringify(last_error)}`);
  }
  throw new Error(
    `chat ${chat.chatId}: ${MAX_ANSWERS + 1} answers, but the limit allows ${MAX_ANSWERS}`,
  );
}

/** Every answer in the history is recorded, and nothing beyond the model calls. */
async function expectRecordedUsage(
  { acknowledged, view, chatId }: Conversation,
  { spent_micros }: Spend,
  { deployment }: ActionContext,
): Promise<void> {
  const least = view.messages.filter(({ role }) => role === 'assistant').length * ANSWER_MICROS;
  const calls = acknowledged.reduce((sum, { id }) => sum + deployment.model.requestCount(id, 0), 0);
  if (spent_micros < least || spent_micros > calls * ANSWER_MICROS) {
    throw new Error(
      `chat ${chatId}: recorded ${spent_micros} micros; expected at least ${least}, at most ${calls} calls`,
    );
  }
}

/** Only usage records may refer to the chat, and the queue of the search indexer until it runs. */
async function expectNoRowsLeft(chatId: string, witness: RetryingWitness): Promise<void> {
  const tables = await witness.query<{ name: string }>(
    `SELECT columns.table_name AS name
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND column_name = 'chat_id' AND table_type = 'BASE TABLE'
        AND table_name NOT IN ('model_calls', 'search_pending')`,
  );
  const chats = await witness.query('SELECT id FROM chats WHERE id = $1', [chatId]);
  if (chats.length > 0) throw new Error(`chat ${chatId} exists after the deletion of its owner`);
  for (const { name } of tables) {
    const left = await witness.query(`SELECT 1 FROM "${name}" WHERE chat_id = $1`, [chatId]);
    if (left.length > 0) throw new Error(`${left.length} rows of ${chatId} are left in ${name}`);
  }
}
