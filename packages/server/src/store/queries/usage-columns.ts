/** Sums over model_calls, under the names of the report. Rows of the kind `tools` are no calls. */
export const USAGE_COLUMNS = `count(*) FILTER (WHERE kind <> 'tools') AS calls,
  coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
  coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
  coalesce(sum(reasoning_tokens), 0)::bigint AS reasoning_tokens,
  coalesce(sum(cache_read_tokens), 0)::bigint AS cache_read_tokens,
  coalesce(sum(cache_creation_tokens), 0)::bigint AS cache_creation_tokens,
  coalesce(sum(cost_micros), 0)::bigint AS cost_micros,
  count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced_calls,
  coalesce(sum(runtime_ms), 0)::bigint AS runtime_ms,
  coalesce(sum(runtime_ms) FILTER (WHERE kind = 'tools'), 0)::bigint AS tool_runtime_ms`;
