import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge.tsx';
import { Answer } from './parts/answer.tsx';
import { Group, Heading } from './parts/heading.tsx';
import { Row, Rows } from './parts/rows.tsx';

async function json<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  return (await response.json()) as T;
}

/** Alive, and able to work: two probes that anybody may ask. */
const PROBES = [
  { path: '/healthz', name: 'Server', about: 'The process answers.' },
  {
    path: '/readyz',
    name: 'Database',
    about: 'It is reached, and has the schema of this version.',
  },
] as const;

export function About() {
  const document = useQuery({
    queryKey: ['/openapi.json'],
    queryFn: ({ signal }) => json<{ info: { version: string } }>('/openapi.json', signal),
  });
  return (
    <>
      <Heading
        title="About"
        about="chatd runs agents that work, and this is where you meet them."
      />
      <Group title="Version">
        <Answer to={document}>
          {({ info }) => (
            <p>
              chatd <span className="font-medium">{info.version}</span>
            </p>
          )}
        </Answer>
      </Group>
      <Group title="Health">
        <Rows label="Health">
          {PROBES.map((probe) => (
            <Probe key={probe.path} {...probe} />
          ))}
        </Rows>
      </Group>
      <Group title="For developers">
        <ul className="flex flex-col gap-1">
          <li>
            <a href="/docs" className="text-accent underline">
              The API, to read and to try
            </a>
          </li>
          <li>
            <a href="/openapi.json" className="text-accent underline">
              Its OpenAPI document
            </a>
          </li>
        </ul>
      </Group>
    </>
  );
}

function Probe({ path, name, about }: (typeof PROBES)[number]) {
  const asked = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => json<{ status: string }>(path, signal),
    refetchInterval: 15_000,
    retry: false,
  });
  const badge =
    asked.error !== null ? (
      <Badge kind="bad">Not well</Badge>
    ) : asked.data === undefined ? (
      <Badge>Asking…</Badge>
    ) : (
      <Badge kind="good">Well</Badge>
    );
  return <Row title={name} badges={badge} about={asked.error?.message ?? about} />;
}
