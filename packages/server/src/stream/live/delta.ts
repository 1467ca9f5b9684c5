import type { Part } from '@chatd/protocol';

/** The text of a delta. Undefined for other parts. */
export function deltaOf(part: Part): string | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return part.args_delta;
    case 'tool-result':
      return part.result_delta;
    case 'source':
    case 'file':
    case 'file-reference':
      return undefined;
  }
}

/** The delta with only the end of its text. Only the first delta of a reasoning part has `created_at`. */
export function withDelta(part: Part, text: string): Part {
  switch (part.type) {
    case 'text':
      return { type: 'text', text };
    case 'reasoning': {
      const { created_at: _, ...rest } = part;
      return { ...rest, text };
    }
    case 'tool-call':
      return { ...part, args_delta: text };
    case 'tool-result':
      return { ...part, result_delta: text };
    case 'source':
    case 'file':
    case 'file-reference':
      return part;
  }
}

const LEFT_OUT = '…';

/** A placeholder for dropped parts. The committed message has them. */
export function placeholderFor(part: Part): Part {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: LEFT_OUT };
    case 'tool-call': {
      const { tool_call_id, tool_name } = part;
      return { type: 'tool-call', tool_call_id, tool_name, args_delta: LEFT_OUT };
    }
    case 'tool-result': {
      const { tool_call_id, tool_name } = part;
      return { type: 'tool-result', tool_call_id, tool_name, result_delta: LEFT_OUT };
    }
    case 'source':
    case 'file':
    case 'file-reference':
      return { type: 'text', text: LEFT_OUT };
  }
}
