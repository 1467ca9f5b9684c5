/** One scripted step of a turn. The user's message contains the script. */
export interface PlannedStep {
  /** Number of text chunks. */
  readonly chunks?: number;
  /** Minimum size of each chunk. */
  readonly chunkBytes?: number;
  /** Delay between chunks. */
  readonly paceMs?: number;
  /** Pauses in the middle of the text until released. */
  readonly hold?: boolean;
  readonly call?: {
    readonly tool: string;
    readonly ms?: number;
    /** Default: the arguments of the effect tools. */
    readonly args?: Readonly<Record<string, unknown>>;
  };
  /** Input tokens reported by the provider. */
  readonly tokens?: number;
  /** The prompt must begin with a summary. */
  readonly summarized?: boolean;
  /** A fault, and how often it occurs before the step succeeds. */
  readonly fault?: { readonly kind: string; readonly times: number };
}

/** Requires approval only by an approval rule. */
export const GUARDED_TOOL = 'count_if_allowed';

/** The content of a user message: its id, and the script for the model. */
export interface Plan {
  readonly id: string;
  readonly steps: readonly PlannedStep[];
}

export const formatPlan = ({ id, steps }: Plan): string => `${id} ${JSON.stringify(steps)}`;

const FORM = /^(m-[\w-]+) (\[.*\])$/s;

export function parsePlan(text: string): Plan | undefined {
  const [, id, steps] = FORM.exec(text) ?? [];
  if (id === undefined || steps === undefined) return undefined;
  return { id, steps: JSON.parse(steps) as PlannedStep[] };
}

/** The plans of the subagents that a message starts. */
export const plannedSubagents = ({ steps }: Plan): Plan[] =>
  steps.flatMap(({ call }) => {
    const prompt = call?.tool === 'spawn_agent' ? call.args?.['prompt'] : undefined;
    const plan = typeof prompt === 'string' ? parsePlan(prompt) : undefined;
    return plan === undefined ? [] : [plan];
  });

/** The text of a step. It is the same in every attempt, so that checks know the expected text. */
export function stepChunks(
  id: string,
  step: number,
  { chunks = 2, chunkBytes = 0 }: PlannedStep,
): string[] {
  return Array.from({ length: chunks }, (_, index) =>
    (index === 0 ? `re:${id}/${step} ` : `w${index} `).padEnd(chunkBytes, 'x'),
  );
}

/** Tool call id of a step. */
export const callId = (id: string, step: number): string => `toolu_${id}_${step}`;

/** Identifies a call in the effects file and in its arguments. */
export const effectKey = (id: string, step: number): string => `${id}/${step}`;
