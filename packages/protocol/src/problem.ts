import { z } from 'zod';

/** Every problem of the API: its stable code, HTTP status and title. */
export const PROBLEMS = {
  invalid_request: [400, 'Invalid request'],
  invalid_json: [400, 'The body is not valid JSON'],
  json_too_deep: [400, 'The body is nested too deeply'],
  invalid_text: [400, 'The text contains a character that cannot be stored'],
  unknown_field: [400, 'Unknown field'],
  invalid_body: [400, 'Invalid body'],
  invalid_query: [400, 'Invalid query string'],
  invalid_cursor: [400, 'Invalid cursor'],
  invalid_id: [400, 'Invalid ID in the path'],
  invalid_content: [400, 'Invalid content'],
  invalid_labels: [400, 'Invalid labels'],
  invalid_idempotency_key: [400, 'Invalid Idempotency-Key'],
  duplicate_tool_name: [400, 'Duplicate tool name'],
  reserved_tool_name: [400, 'Reserved tool name'],
  unknown_model_config: [400, 'The model does not exist or is disabled'],
  unknown_provider: [400, 'The provider does not exist'],
  unknown_file: [400, 'The file does not exist'],
  unknown_user: [400, 'The user does not exist'],
  unknown_group: [400, 'The group does not exist'],
  unknown_template: [400, 'The template does not exist'],
  unknown_workspace: [400, 'The workspace does not exist'],
  unknown_project: [400, 'The project does not exist'],
  unknown_mcp_server: [400, 'The MCP server does not exist'],
  invalid_cli_login: [400, 'The code is unknown, was used, or has expired'],
  invalid_mcp_sign_in: [400, 'The sign-in is unknown or has expired'],
  unknown_message: [400, 'The message does not exist in this chat'],
  not_a_user_message: [400, 'Only user messages can be edited'],
  tool_results_mismatch: [400, 'The results do not match the pending calls'],
  invalid_answer: [400, 'Invalid answer'],
  url_not_allowed: [400, 'The URL points to a blocked address'],
  path_outside: [400, 'The path is outside the workspace'],
  not_a_file: [400, 'Not a regular file'],
  not_a_folder: [400, 'Not a folder'],
  too_many_events: [400, 'Too many audit events'],
  unauthenticated: [401, 'Authentication required'],
  token_expired: [401, 'The token has expired'],
  invalid_credentials: [401, 'Wrong user name or password'],
  invalid_sign_in_link: [401, 'The sign-in link was already used or has expired'],
  insufficient_scope: [403, 'The token lacks a required scope'],
  admin_required: [403, 'Admin role required'],
  role_required: [403, 'Your role does not allow this'],
  password_sign_in_disabled: [403, 'Sign-in with passwords is disabled'],
  origin_not_allowed: [403, 'Cross-origin request blocked'],
  not_found: [404, 'Not found'],
  path_not_found: [404, 'The file or folder does not exist'],
  method_not_allowed: [405, 'Method not allowed'],
  cli_login_pending: [409, 'The login is not approved yet'],
  chat_active: [409, 'The chat is busy'],
  chat_archived: [409, 'The chat is archived'],
  chat_not_archived: [409, 'The chat is not archived'],
  not_a_root_chat: [409, 'This is a subagent chat'],
  not_running: [409, 'The chat is not running'],
  not_waiting_for_tools: [409, 'The chat is not waiting for tool results'],
  not_waiting_for_you: [409, 'The chat is not waiting for an answer'],
  nothing_to_compact: [409, 'Nothing to compact'],
  no_model_configured: [409, 'No model is configured'],
  provider_in_use: [409, 'Chats use models of this provider'],
  model_config_in_use: [409, 'Chats use this model'],
  built_in: [409, 'Built-in objects can be disabled, but not deleted'],
  secret_key_required: [409, 'The server has no encryption key'],
  template_name_taken: [409, 'Template name already in use'],
  project_name_taken: [409, 'Project name already in use'],
  template_from_file: [409, 'The template comes from a file on the server'],
  workspace_not_ready: [409, 'The workspace is not ready'],
  machine_offline: [409, 'The machine of the workspace is offline'],
  no_machine: [409, 'No machine can host the workspace'],
  machine_name_taken: [409, 'Machine name already in use'],
  machine_in_use: [409, 'The machine has workspaces'],
  file_unreadable: [409, 'The file cannot be read'],
  file_changed: [409, 'The file has changed'],
  folder_too_large: [409, 'The folder is too large'],
  port_unavailable: [409, 'The port cannot be opened'],
  previews_unavailable: [409, 'Previews are not available'],
  workspaces_disabled: [409, 'Workspaces are disabled on this server'],
  no_desktop: [409, 'No desktop'],
  mcp_server_name_taken: [409, 'MCP server name already in use'],
  mcp_no_sign_in: [409, 'The MCP server does not use sign-ins'],
  username_taken: [409, 'User name already in use'],
  group_name_taken: [409, 'Group name already in use'],
  group_mirrored: [409, 'The group is mirrored from the identity provider'],
  quota_exceeded: [409, 'Quota exceeded'],
  links_disabled: [409, 'Links to chats are not allowed'],
  last_admin: [409, 'At least one admin is required'],
  body_too_large: [413, 'The body is too large'],
  message_too_large: [413, 'The files of the message are too large'],
  unsupported_media_type: [415, 'Unsupported content type'],
  host_not_allowed: [421, 'Host not allowed'],
  upgrade_required: [426, 'WebSocket upgrade required'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used with another request'],
  queue_full: [429, 'The message queue is full'],
  too_many_requests: [429, 'Too many requests'],
  internal: [500, 'Internal server error'],
  mcp_sign_in_failed: [502, 'The sign-in to the MCP server failed'],
  query_timeout: [503, 'Query timeout'],
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
    title: z.string().describe('Title of the problem. The same for every occurrence of the code.'),
    status: z.int().meta({ description: 'HTTP status.', examples: [400] }),
    detail: z
      .string()
      .describe('What is wrong with this request and what to do, as text for users.'),
    code: z.string().meta({
      description:
        'Stable code of the problem. With `invalid_body` and `invalid_query`, see `errors`.',
      examples: ['invalid_body'],
    }),
    errors: z
      .array(
        z.object({
          path: z.string().meta({
            description:
              'Path of the field, with dots for nested fields and list positions. Empty: the whole body.',
            examples: ['content.0.text'],
          }),
          message: z.string().describe('What is wrong with the field.'),
        }),
      )
      .optional()
      .describe('Every invalid field of the request. Absent if the problem is not a field.'),
  })
  .meta({
    id: 'Problem',
    description:
      'An error response (RFC 9457, `application/problem+json`). The request had no effect.',
  });
export type Problem = z.infer<typeof Problem>;
