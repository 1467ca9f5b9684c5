import type { Chat, Spend } from '@chatd/protocol';
import { Api } from '../../clients/api.ts';
import { Conversation } from '../../clients/conversation.ts';
import type { PatientWitness } from '../patient-witness.ts';
import { type Act, answered, comes, SHORT, type Surroundings } from '../act.ts';
import { addUser } from '../users.ts';

/** Of an answer of the model: ten tokens of prompt, five of text. */
const ANSWER_MICROS = 15;
const LIMIT_MICROS = 40;
/** The last answer may go beyond the limit. */
const MOST_ANSWERS = Math.ceil(LIMIT_MICROS / ANSWER_MICROS);

/** Somebody else comes, spends what there is to spend, gets more, and goes with all that is theirs. */
export const spends: Act = async (_, surroundings) => {
  const { api: admin, deployment, counts, seedData, witness } = surroundings;
  const user = await addUser(admin);
  await admin.patch(`/users/${user.id}`, { spend_limit_micros: LIMIT_MICROS });
  const api = new Api(() => deployment.urls, user.token);
  const talk = await Conversation.begin(api, SHORT, {}, { model_config_id: seedData.pricedModel });
  try {
    const refused = await spendAll(talk, surroundings);
    if (deployment.model.asked(refused.id, 0) > 0) {
      throw new Error(
        `chat ${talk.chatId}: the model was asked for ${refused.id} beyond the limit`,
      );
    }
    counts.add('spend limits reached');
    await admin.patch(`/users/${user.id}`, { spend_limit_micros: 1_000_000 });
    await talk.say(SHORT);
    await answered(talk, counts);
    await demandBooks(talk, await admin.get<Spend>(`/users/${user.id}/spend`), surroundings);
  } finally {
    await talk.viewer.close();
    for (const plan of talk.acknowledged) deployment.model.forget(plan);
  }
  await admin.delete(`/users/${user.id}`);
  await demandNothingLeft(talk.chatId, witness);
  counts.add('users deleted with all they had');
};

/** The message that was refused since nothing was left. */
async function spendAll(talk: Conversation, { counts }: Surroundings) {
  for (let answers = 0; answers <= MOST_ANSWERS; answers += 1) {
    if (answers > 0) await talk.say(SHORT);
    await comes(
      talk,
      'an answer or a refusal',
      (view) => talk.isAnswered(view) || (view.status === 'error' && view.error !== undefined),
    );
    if (talk.isAnswered()) {
      counts.add('turns answered');
      continue;
    }
    const { last_error } = await talk.api.get<Chat>(`/chats/${talk.chatId}`);
    if (last_error?.kind === 'spend_limit') return talk.last;
    throw new Error(`chat ${talk.chatId} failed: ${JSON.stringify(last_error)}`);
  }
  throw new Error(
    `chat ${talk.chatId}: ${MOST_ANSWERS + 1} answers within a limit of ${MOST_ANSWERS}`,
  );
}

/** Every answer that is in the history was booked, and nothing that the model was not asked for. */
async function demandBooks(
  { acknowledged, view, chatId }: Conversation,
  { spent_micros }: Spend,
  { deployment }: Surroundings,
): Promise<void> {
  const least = view.messages.filter(({ role }) => role === 'assistant').length * ANSWER_MICROS;
  const calls = acknowledged.reduce((sum, { id }) => sum + deployment.model.asked(id, 0), 0);
  if (spent_micros < least || spent_micros > calls * ANSWER_MICROS) {
    throw new Error(
      `chat ${chatId}: ${spent_micros} were booked for ${least} worth of answers and ${calls} calls`,
    );
  }
}

/** In no table that knows chats, but for the books. */
async function demandNothingLeft(chatId: string, witness: PatientWitness): Promise<void> {
  const tables = await witness.query<{ name: string }>(
    `SELECT columns.table_name AS name
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND column_name = 'chat_id' AND table_type = 'BASE TABLE'
        AND table_name <> 'model_calls'`,
  );
  const chats = await witness.query('SELECT id FROM chats WHERE id = $1', [chatId]);
  if (chats.length > 0) throw new Error(`chat ${chatId} is there after its owner was deleted`);
  for (const { name } of tables) {
    const left = await witness.query(`SELECT 1 FROM "${name}" WHERE chat_id = $1`, [chatId]);
    if (left.length > 0) throw new Error(`${left.length} rows of ${chatId} are left in ${name}`);
  }
}
