import type { CapturedRequest } from './capture.ts';
import type { Dialect } from './dialect.ts';
import type { Scripted } from './reply.ts';

export type Decide = (request: CapturedRequest) => Scripted | Promise<Scripted>;

/** The responses of a provider: queued ones first, then those of a function. */
export interface Script {
  add(scripted: readonly Scripted[]): void;
  decideWith(decide: Decide): void;
  next(request: CapturedRequest): Promise<Scripted | undefined>;
  readonly left: number;
}

export function createScript(dialect: Dialect): Script {
  const queue: Scripted[] = [];
  let decide: Decide | undefined;
  return {
    add(scripted) {
      for (const item of scripted) insistOnWireForm(item, dialect);
      queue.push(...scripted);
    },
    decideWith(decision) {
      decide = decision;
    },
    async next(request) {
      const queued = queue.shift();
      if (queued) return queued;
      const decided = await decide?.(request);
      if (decided) insistOnWireForm(decided, dialect);
      return decided;
    },
    get left() {
      return queue.length;
    },
  };
}

/** Throws immediately, in the test's stack, if an API cannot express a part. */
function insistOnWireForm(scripted: Scripted, { api, carries }: Dialect): void {
  const answer = scripted.kind === 'answer' ? scripted : 'of' in scripted ? scripted.of : undefined;
  const alien = answer?.parts.find((part) => !carries.has(part.type));
  if (alien) throw new TypeError(`${api} has no wire form for a part of type ${alien.type}`);
}
