/** What the model does in one step of a turn, as the user's message asks it to. */
export interface PlannedStep {
  /** Text in so many pieces. */
  readonly say?: number;
  /** Bytes that each piece is padded to. */
  readonly bulk?: number;
  /** Milliseconds between two pieces. */
  readonly pace?: number;
  /** Stands in the middle of the text until it is released. */
  readonly hold?: boolean;
  readonly call?: {
    readonly tool: string;
    readonly ms?: number;
    /** Instead of those that the tools of the suite take. */
    readonly args?: Readonly<Record<string, unknown>>;
  };
  /** Tokens of the prompt, as the provider counts them; few unless told. */
  readonly tokens?: number;
  /** By now what came before was replaced by a summary. */
  readonly summarised?: boolean;
  /** What goes wrong, and how many times before it goes right. */
  readonly fault?: { readonly kind: string; readonly times: number };
}

/** A message of a user: its name, and what the model is to do. */
export interface Plan {
  readonly id: string;
  readonly steps: readonly PlannedStep[];
}

export const planText = ({ id, steps }: Plan): string => `${id} ${JSON.stringify(steps)}`;

const FORM = /^(m-[\w-]+) (\[.*\])$/s;

export function planIn(text: string): Plan | undefined {
  const [, id, steps] = FORM.exec(text) ?? [];
  if (id === undefined || steps === undefined) return undefined;
  return { id, steps: JSON.parse(steps) as PlannedStep[] };
}

/** What the agents are to do that a message has started. */
export const plannedAgents = ({ steps }: Plan): Plan[] =>
  steps.flatMap(({ call }) => {
    const prompt = call?.tool === 'spawn_agent' ? call.args?.['prompt'] : undefined;
    const plan = typeof prompt === 'string' ? planIn(prompt) : undefined;
    return plan === undefined ? [] : [plan];
  });

/** What the model says in a step: the same whenever it is asked, so that everybody knows what is right. */
export function saidIn(id: string, step: number, { say = 2, bulk = 0 }: PlannedStep): string[] {
  return Array.from({ length: say }, (_, index) =>
    (index === 0 ? `re:${id}/${step} ` : `w${index} `).padEnd(bulk, 'x'),
  );
}

/** The id of the call that a step makes. */
export const callId = (id: string, step: number): string => `toolu_${id}_${step}`;

/** Of a call, in the file of effects and in the arguments. */
export const effectKey = (id: string, step: number): string => `${id}/${step}`;
