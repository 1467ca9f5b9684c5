/*
 * Adapts chatd to the contract of the benchmark, where one request runs a turn and streams its text. It uses the public
 * API and stream like any client. Its CPU time counts as chatd's.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { Pool } from 'pg';
import { pastMessages, required, serve, SYSTEM_PROMPT } from './contract.ts';

const api = `${required('CHATD_BENCH_URL')}/api/v1`;
const headers = {
  authorization: `Bearer ${required('CHATD_BENCH_TOKEN')}`,
  'content-type': 'application/json',
};
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const pool = new Pool({ connectionString: required('DATABASE_URL'), max: 4 });
/** Chat IDs by the names of the benchmark. */
const ids = new Map<string, string>();

function call<T>(method: string, path: string, body?: object): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const sent = httpRequest(`${api}${path}`, { method, agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => (text += piece));
    response.on('end', () => {
      if ((response.statusCode ?? 500) >= 300) reject(new Error(`${path}: ${text}`));
      else resolve((text === '' ? null : JSON.parse(text)) as T);
    });
  });
  sent.on('error', reject);
  sent.end(body && JSON.stringify(body));
  return promise;
}

const content = (text: string) => [{ type: 'text', text }];

/** With two requests, the message is posted first and the chat followed with a stream of its own. */
const twoRequests = process.env['CHATD_BENCH_REQUESTS'] === '2';

/** Posts the message and follows the chat until the turn has finished. */
async function turn(chat: string, text: string, emit: (delta: string) => void): Promise<void> {
  const known = ids.get(chat);
  const path = known === undefined ? '/chats' : `/chats/${known}/messages`;
  const body = {
    content: content(text),
    // An explicit title avoids title generation.
    ...(known === undefined && { system_prompt: SYSTEM_PROMPT, title: chat }),
  };
  if (!twoRequests) {
    const id = await follow(path, body, 0, emit);
    if (known === undefined) ids.set(chat, id);
    return;
  }
  const made = await call<{ id: string; message?: { id: number } }>('POST', path, body);
  const id = known ?? made.id;
  ids.set(chat, id);
  const after = made.message?.id ?? 0;
  // Start after the posted message, so that no history is sent.
  const from = after === 0 ? '' : `?after_id=${after}`;
  await follow(`/chats/${id}/stream${from}`, undefined, after, emit);
}

interface Event {
  readonly type: string;
  readonly chat_id: string;
  readonly status?: string;
  readonly part?: { readonly type: string; readonly text?: string };
  readonly message?: {
    readonly id: number;
    readonly role: string;
    readonly content: readonly { readonly type: string; readonly text?: string }[];
  };
}

/** Follows the stream of a turn to its end. Returns the chat. A POST ends with the turn and keeps its connection. */
function follow(
  path: string,
  body: object | undefined,
  after: number,
  emit: (delta: string) => void,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  /** Length of live text, which the committed message repeats. */
  let live = 0;
  const handle = (event: Event): boolean => {
    if (event.type === 'message_part' && event.part?.type === 'text') {
      live += event.part.text?.length ?? 0;
      emit(event.part.text ?? '');
    } else if (event.type === 'message' && event.message !== undefined) {
      const { message } = event;
      if (message.role !== 'assistant' || message.id <= after) return false;
      const said = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      if (live < said.length) emit(said.slice(live));
      live = 0;
    } else if (event.type === 'error') throw new Error(JSON.stringify(event));
    return event.type === 'status' && (event.status === 'waiting' || event.status === 'error');
  };
  const method = body === undefined ? 'GET' : 'POST';
  const accepting = { ...headers, accept: 'text/event-stream' };
  const sent = httpRequest(`${api}${path}`, { method, agent, headers: accepting }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const data = lines.find((line) => line.startsWith('data: '));
        if (data === undefined) continue;
        try {
          const event = JSON.parse(data.slice(6)) as Event;
          if (!handle(event)) continue;
          resolve(event.chat_id);
        } catch (error) {
          reject(error);
        }
        if (body === undefined) sent.destroy();
        return;
      }
    });
    response.on('end', () => reject(new Error(`the stream ended before the turn did: ${text}`)));
  });
  sent.on('error', reject);
  sent.end(body && JSON.stringify(body));
  return promise;
}

/** Inserts earlier messages directly into the table, which is not measured. */
async function seed(chat: string, n: number, size: number): Promise<void> {
  const id = randomUUID();
  const past = pastMessages(n, size).map(({ role, content: text }) => ({
    role,
    content: content(text),
  }));
  await pool.query(
    `WITH chat AS (
       INSERT INTO chats (id, owner_id, title, title_source, model_config_id, system_prompt, status,
                          snapshot_version, history_version, queue_version)
       SELECT $1, users.id, $2, 'user', model_configs.id, $3, 'waiting', 1, 1, 0
         FROM users, model_configs
        WHERE users.role = 'admin' AND model_configs.is_default
        LIMIT 1
       RETURNING id
     )
     INSERT INTO messages (chat_id, revision, role, content)
     SELECT chat.id, 1, record.role, record.content
       FROM chat, ROWS FROM (jsonb_to_recordset($4::jsonb) AS (role text, content jsonb))
                  WITH ORDINALITY AS record (role, content, ordinality)
      ORDER BY record.ordinality`,
    [id, chat, SYSTEM_PROMPT, JSON.stringify(past)],
  );
  // The server would have indexed earlier messages long before this turn.
  await pool.query('DELETE FROM search_pending WHERE chat_id = $1', [id]);
  ids.set(chat, id);
}

serve({ turn, seed });
