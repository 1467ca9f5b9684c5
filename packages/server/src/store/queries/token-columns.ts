export const TOKEN_COLUMNS = `tokens.id, tokens.user_id, tokens.name, tokens.scopes, tokens.created_at,
  tokens.expires_at, tokens.last_used_at`;
