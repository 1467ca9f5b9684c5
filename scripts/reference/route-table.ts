import { isEventStream, isMedia, type Route, routes } from '@chatd/protocol';

const LINE_LENGTH = 100;

/** The client's route table: the protocol's routes without their schemas, which a client need not load. */
export function routeTable(): string {
  const rows = Object.entries<Route>(routes).map(([name, route]) => {
    const { method, path, body, query, secret, answers } = route;
    const row = [
      method,
      path,
      body !== undefined && (isMedia(body) ? 'bytes' : 'body'),
      query !== undefined && 'query',
      secret === true && 'secret',
      Object.values(answers).some(isMedia) && 'media',
      Object.values(answers).some(isEventStream) && 'events',
    ];
    const cells = row.filter((cell) => cell !== false).map((cell) => `'${cell}'`);
    const line = `  ${name}: [${cells.join(', ')}],`;
    // As the formatter breaks it.
    if (line.length <= LINE_LENGTH) return line;
    return [`  ${name}: [`, ...cells.map((cell) => `    ${cell},`), '  ],'].join('\n');
  });
  return [
    '// Generated from @chatd/protocol by `npm run reference`. Do not edit.',
    "import type { RouteName } from '@chatd/protocol';",
    "import type { RouteRow } from './routes.ts';",
    '',
    'export const ROUTES: Readonly<Record<RouteName, RouteRow>> = {',
    ...rows,
    '};',
  ].join('\n');
}
