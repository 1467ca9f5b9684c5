import { formatNumber, markdownTable } from './markdown.ts';
import { PROGRAMS, type ServerData, type ServerRow, TWO_REQUESTS } from './server-data.ts';

const STEPS = 5;
const CONCURRENCY = 8;

/** The figures that summarize the run, for both ways to use the API. */
export function summaryTable({ rows, processes }: ServerData): string {
  const forms = ['chatd', TWO_REQUESTS].filter((form) => rows.some(({ name }) => name === form));
  const headings = forms.map((form) => `> ${PROGRAMS[form]?.short}`);
  const lines = figures(rows)
    .filter((figure) => figure !== false)
    .map(({ label, digits, value, target }) => [
      label,
      ...forms.map((form) => formatNumber(value(form), digits)),
      target,
    ]);
  const [one, two] = [1, 2].map((n) => processes.find((row) => row.processes === n));
  const scaling = one && two && two.stepsPerSecond / one.stepsPerSecond;
  return markdownTable(
    ['', ...headings, 'target'],
    [
      ...lines,
      [
        'steps/s: two processes ÷ one process',
        formatNumber(scaling, 2),
        ...forms.slice(1).map(() => ''),
        '–',
      ],
    ],
  );
}

interface Figure {
  readonly label: string;
  readonly digits: number;
  readonly target: string;
  /** Undefined: not measured. */
  readonly value: (form: string) => number | undefined;
}

/** `false` for figures that were not measured. */
function figures(rows: readonly ServerRow[]): (Figure | false)[] {
  const find = (name: string, wanted: Partial<ServerRow> = {}) => {
    const usual = { name, steps: STEPS, history: 0, concurrency: CONCURRENCY, ...wanted };
    return rows.find((row) =>
      (Object.keys(usual) as (keyof typeof usual)[]).every((key) => row[key] === usual[key]),
    );
  };
  const longest = Math.max(...rows.map(({ steps }) => steps));
  const history = Math.max(...rows.map((row) => row.history));
  const busiest = Math.max(...rows.map(({ concurrency }) => concurrency));
  const steps = (name: string, wanted?: Partial<ServerRow>) => find(name, wanted)?.stepsPerSecond;
  const durable = Object.entries(PROGRAMS)
    .filter(([name, { resumes }]) => resumes && name !== 'chatd' && name !== TWO_REQUESTS)
    .map(([name]) => name);
  const best = durable.toSorted((a, b) => (steps(b) ?? 0) - (steps(a) ?? 0))[0] ?? '';
  return [
    {
      label: `steps/s ÷ ${PROGRAMS['baseline']?.short}`,
      digits: 2,
      target: 'at least 1.0',
      value: (form) => ratio(steps(form), steps('baseline')),
    },
    {
      label: `steps/s ÷ ${PROGRAMS[best]?.short} (the best program that resumes after a crash)`,
      digits: 2,
      target: 'at least 4',
      value: (form) => ratio(steps(form), steps(best)),
    },
    {
      label: `steps/s ÷ ${PROGRAMS['aisdk']?.short}`,
      digits: 2,
      target: 'at least 1.5',
      value: (form) => ratio(steps(form), steps('aisdk')),
    },
    longest > STEPS && {
      label: `steps/s ÷ ${PROGRAMS['baseline']?.short}, ${longest} steps per conversation`,
      digits: 2,
      target: 'at least 1.2',
      value: (form) =>
        ratio(steps(form, { steps: longest }), steps('baseline', { steps: longest })),
    },
    {
      label: 'CPU s per 1,000 steps, all processes',
      digits: 2,
      target: 'at most 2',
      value: (form) => find(form)?.totalCpu,
    },
    {
      label: 'WAL bytes per step',
      digits: 0,
      target: 'at most 1,500',
      value: (form) => find(form)?.walPerStep ?? undefined,
    },
    {
      label: `time to first text ÷ ${PROGRAMS['baseline']?.short}, one conversation at a time`,
      digits: 2,
      target: 'at most 1.3',
      value: (form) =>
        ratio(
          find(form, { concurrency: 1 })?.firstTextP50,
          find('baseline', { concurrency: 1 })?.firstTextP50,
        ),
    },
    history > 0 && {
      label: `CPU per step, ${formatNumber(history)} earlier messages ÷ none`,
      digits: 2,
      target: 'at most 1.5',
      value: (form) => ratio(find(form, { history })?.totalCpu, find(form)?.totalCpu),
    },
    {
      label: `RSS of the server, MB, ${busiest} concurrent conversations`,
      digits: 0,
      target: 'at most 300',
      value: (form) => find(form, { concurrency: busiest })?.residentMb,
    },
  ];
}

function ratio(ours: number | undefined, theirs: number | undefined): number | undefined {
  return ours === undefined || !theirs ? undefined : ours / theirs;
}
