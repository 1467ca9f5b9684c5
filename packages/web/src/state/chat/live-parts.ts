import type { ChatEvent, Part, Role } from '@chatd/protocol';
import { Cell } from '../cell.ts';

type PartEvent = Extract<ChatEvent, { type: 'message_part' }>;

/** A part that may still grow. */
export interface LivePart {
  readonly key: string;
  readonly role: Role;
  readonly part: Cell<Part>;
}

/** The episode that is under way: deltas grow their part's own cell; the list changes only when a part begins. */
export class LiveParts {
  readonly list = new Cell<readonly LivePart[]>([]);

  add({ role, part, seq }: PartEvent): void {
    const list = this.list.get();
    const grown = findGrown(list, role, part);
    if (grown === undefined) {
      this.list.set([...list, { key: `${seq}`, role, part: new Cell(part) }]);
    } else {
      grown.part.update((before) => join(before, part));
    }
  }

  reset(): void {
    this.list.set([]);
  }
}

/** Text goes on where it was; what belongs to a call is found by its id. */
function findGrown(list: readonly LivePart[], role: Role, part: Part): LivePart | undefined {
  if (part.type === 'tool-call' || part.type === 'tool-result') {
    return list.findLast(({ part: cell }) => {
      const known = cell.get();
      return known.type === part.type && known.tool_call_id === part.tool_call_id;
    });
  }
  const last = list.at(-1);
  const grows = part.type === 'text' || part.type === 'reasoning';
  return grows && last?.role === role && last.part.get().type === part.type ? last : undefined;
}

function join(before: Part, next: Part): Part {
  switch (next.type) {
    case 'text':
      return before.type === 'text' ? { ...next, text: before.text + next.text } : next;
    case 'reasoning':
      return before.type === 'reasoning'
        ? { ...before, ...next, text: before.text + next.text }
        : next;
    case 'tool-call': {
      if (before.type !== 'tool-call' || next.args !== undefined) return { ...before, ...next };
      return { ...before, args_delta: (before.args_delta ?? '') + (next.args_delta ?? '') };
    }
    case 'tool-result': {
      if (before.type !== 'tool-result' || next.result !== undefined) return { ...before, ...next };
      return { ...before, result_delta: (before.result_delta ?? '') + (next.result_delta ?? '') };
    }
    case 'source':
    case 'file':
    case 'file-reference':
      return next;
  }
}
