import { z } from 'zod';

/** Every refusal the API knows: its stable code, its HTTP status, and a title that fits all its occurrences. */
export const PROBLEMS = {
  invalid_request: [400, 'The request is not valid'],
  invalid_json: [400, 'The body is not valid JSON'],
  json_too_deep: [400, 'The body is nested too deeply'],
  invalid_text: [400, 'The text holds a character that cannot be stored'],
  unknown_field: [400, 'The request has a field that does not exist'],
  invalid_body: [400, 'The body is not valid'],
  invalid_query: [400, 'The query string is not valid'],
  invalid_cursor: [400, 'The cursor is not valid'],
  invalid_id: [400, 'An id in the path is not valid'],
  invalid_content: [400, 'The content is not valid'],
  invalid_labels: [400, 'The labels are not valid'],
  invalid_idempotency_key: [400, 'The Idempotency-Key is not valid'],
  duplicate_tool_name: [400, 'Two tools have the same name'],
  reserved_tool_name: [400, 'The name of a tool is reserved'],
  unknown_model_config: [400, 'There is no such model, or it is disabled'],
  unknown_provider: [400, 'There is no such provider'],
  unknown_file: [400, 'There is no such file'],
  unknown_user: [400, 'There is no such user'],
  unknown_template: [400, 'There is no such template'],
  unknown_workspace: [400, 'There is no such workspace'],
  unknown_mcp_server: [400, 'There is no such MCP server'],
  invalid_mcp_sign_in: [400, 'The sign-in was not begun here, or is over'],
  unknown_message: [400, 'There is no such message in this chat'],
  not_a_user_message: [400, 'Only a message of the user can be edited'],
  tool_results_mismatch: [400, 'The results do not match the calls that are awaited'],
  invalid_answer: [400, 'The answer is not valid'],
  url_not_allowed: [400, 'The URL leads to an address that is not allowed'],
  path_outside: [400, 'The path leads out of the workspace'],
  not_a_file: [400, 'It is no regular file'],
  not_a_folder: [400, 'It is no folder'],
  unauthenticated: [401, 'A valid token or session is required'],
  token_expired: [401, 'The token has expired'],
  invalid_credentials: [401, 'The user name or the password is wrong'],
  invalid_sign_in_link: [401, 'The sign-in link was used before, or has expired'],
  insufficient_scope: [403, 'The token does not have the scope that this needs'],
  admin_required: [403, 'Only an admin may do this'],
  origin_not_allowed: [403, 'The request comes from a page of another site'],
  not_found: [404, 'There is no such thing'],
  path_not_found: [404, 'There is no such file or folder'],
  method_not_allowed: [405, 'The method is not allowed here'],
  chat_active: [409, 'The chat is busy'],
  chat_archived: [409, 'The chat is archived'],
  chat_not_archived: [409, 'The chat is not archived'],
  not_a_root_chat: [409, 'Only a chat without a parent can do this'],
  not_running: [409, 'The chat is not running'],
  not_waiting_for_tools: [409, 'The chat does not wait for tool results'],
  not_waiting_for_you: [409, 'The chat does not wait for an answer'],
  nothing_to_compact: [409, 'There is nothing to compact'],
  no_model_configured: [409, 'No model is configured'],
  provider_in_use: [409, 'Chats use models of this provider'],
  model_config_in_use: [409, 'Chats use this model'],
  built_in: [409, 'What is built in can be disabled, but not deleted'],
  secret_key_required: [409, 'The server has no key to encrypt secrets with'],
  template_name_taken: [409, 'Another template has this name'],
  template_from_file: [409, 'The template comes from a file of the server'],
  workspace_not_ready: [409, 'The workspace cannot be used now'],
  workspace_elsewhere: [409, 'The workspace is on another machine'],
  file_unreadable: [409, 'The file cannot be read'],
  workspaces_disabled: [409, 'There are no workspaces on this server'],
  no_desktop: [409, 'There is no desktop'],
  mcp_server_name_taken: [409, 'Another MCP server has this name'],
  mcp_no_sign_in: [409, 'Users do not sign in to this MCP server'],
  username_taken: [409, 'The user name is taken'],
  quota_exceeded: [409, 'A quota of the user is used up'],
  last_admin: [409, 'The last admin must stay one'],
  body_too_large: [413, 'The body is too large'],
  message_too_large: [413, 'The files of the message are too large'],
  unsupported_media_type: [415, 'The content type is not supported'],
  host_not_allowed: [421, 'The server was not told about this host name'],
  upgrade_required: [426, 'Only a WebSocket is answered here'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used with another request'],
  queue_full: [429, 'Too many messages are queued'],
  too_many_requests: [429, 'Too many requests'],
  internal: [500, 'Something went wrong'],
  mcp_sign_in_failed: [502, 'The sign-in to the MCP server failed'],
  query_timeout: [503, 'A query took too long'],
  unavailable: [503, 'The server cannot reach its database'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** RFC 9457, `application/problem+json`. */
export const Problem = z
  .object({
    type: z.string().meta({
      description: 'The code as a URN.',
      examples: ['urn:chatd:problem:invalid_body'],
    }),
    title: z.string().describe('What the code means; the same for all its occurrences.'),
    status: z.int().meta({ description: 'The HTTP status.', examples: [400] }),
    detail: z.string().describe('What was wrong this time, and what to do, for people.'),
    code: z.string().meta({
      description:
        'The stable code of the refusal, one of those that the call lists. `invalid_body` and `invalid_query`: see `errors`.',
      examples: ['invalid_body'],
    }),
    errors: z
      .array(
        z.object({
          path: z.string().meta({
            description:
              'The field, with dots and numbers for what is within others. Empty: the whole body.',
            examples: ['content.0.text'],
          }),
          message: z.string().describe('What is wrong with it.'),
        }),
      )
      .optional()
      .describe('Everything that was wrong with the request. Absent if it was not the request.'),
  })
  .meta({
    id: 'Problem',
    description: 'A refusal (RFC 9457, `application/problem+json`). Nothing was stored.',
  });
export type Problem = z.infer<typeof Problem>;
