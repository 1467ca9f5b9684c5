import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge.tsx';
import { QueryResult } from './parts/query-result.tsx';
import { Group, Heading } from './parts/heading.tsx';
import { Row, Rows } from './parts/rows.tsx';

async function json<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path} returned status ${response.status}.`);
  return (await response.json()) as T;
}

/** Liveness and readiness, which need no authentication. */
const PROBES = [
  { path: '/healthz', name: 'Server', about: 'The process responds.' },
  {
    path: '/readyz',
    name: 'Database',
    about: 'Reachable, with the schema of this version.',
  },
] as const;

export function About() {
  const document = useQuery({
    queryKey: ['/openapi.json'],
    queryFn: ({ signal }) => json<{ info: { version: string } }>('/openapi.json', signal),
  });
  return (
    <>
      <Heading title="About" about="Version and health of this chatd server." />
      <Group title="Version">
        <QueryResult to={document}>
          {({ info }) => (
            <p>
              chatd <span className="font-medium">{info.version}</span>
            </p>
          )}
        </QueryResult>
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
            <a href="/docs" className="text-link underline">
              API reference
            </a>
          </li>
          <li>
            <a href="/openapi.json" className="text-link underline">
              OpenAPI document
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
      <Badge kind="bad">Failing</Badge>
    ) : asked.data === undefined ? (
      <Badge>Checking…</Badge>
    ) : (
      <Badge kind="good">Healthy</Badge>
    );
  return <Row title={name} badges={badge} about={asked.error?.message ?? about} />;
}
