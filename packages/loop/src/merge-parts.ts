import type { Part } from '@chatd/protocol';

/** Merges two consecutive live parts. Undefined if they are not deltas of the same part. */
export function mergeParts(p: Part, q: Part): Part | undefined {
  switch (p.type) {
    case 'text':
      return q.type === 'text' ? { type: 'text', text: p.text + q.text } : undefined;
    case 'reasoning':
      return q.type === 'reasoning' && !p.completed_at && !q.created_at
        ? { ...p, ...q, text: p.text + q.text }
        : undefined;
    case 'tool-call':
      if (q.type !== 'tool-call' || p.tool_call_id !== q.tool_call_id) return undefined;
      if (p.args_delta === undefined || q.args_delta === undefined) return undefined;
      return { ...p, args_delta: p.args_delta + q.args_delta };
    case 'tool-result':
      if (q.type !== 'tool-result' || p.tool_call_id !== q.tool_call_id) return undefined;
      if (p.result_delta === undefined || q.result_delta === undefined) return undefined;
      return { ...p, result_delta: p.result_delta + q.result_delta };
    case 'source':
    case 'file':
    case 'file-reference':
      return undefined;
  }
}
